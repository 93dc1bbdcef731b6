import { crc32, deflateRawSync } from 'node:zlib';

/** A member of an archive; what is said of it may differ from what it is. */
export interface Member {
  readonly name: string;
  readonly content: string | Buffer;
  /** 0 stored, 8 deflated, any other as `packed` has it. */
  readonly method?: number;
  readonly packed?: Buffer;
  readonly claimedLength?: number;
  /** It points at the bytes of the first member. */
  readonly isShared?: boolean;
}

const header = (signature: number, before: readonly number[], shared: readonly number[], rest: Buffer): Buffer => {
  const [method = 0, sum = 0, packed = 0, length = 0, name = 0] = shared;
  const bytes = Buffer.alloc(4 + 2 * before.length + 22);
  let at = bytes.writeUInt32LE(signature);
  for (const value of [...before, 0, method, 0, 0]) at = bytes.writeUInt16LE(value, at);
  for (const value of [sum, packed, length]) at = bytes.writeUInt32LE(value, at);
  bytes.writeUInt16LE(name, at);
  return Buffer.concat([bytes, rest]);
};

/** A zip archive. */
export const zipOf = (members: readonly Member[]): Buffer => {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, method = 8, packed, claimedLength, isShared = false } of members) {
    const bytes = Buffer.from(content);
    const data = packed ?? (method === 8 ? deflateRawSync(bytes) : bytes);
    const said = [method, crc32(bytes), data.length, claimedLength ?? bytes.length, Buffer.byteLength(name)];
    const local = Buffer.concat([header(0x04034b50, [20], said, Buffer.alloc(2)), Buffer.from(name), data]);
    const place = Buffer.alloc(16);
    place.writeUInt32LE(isShared ? 0 : offset, 12);
    directory.push(header(0x02014b50, [20, 20], said, Buffer.concat([place, Buffer.from(name)])));
    if (isShared) continue;
    parts.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, list, end]);
};
