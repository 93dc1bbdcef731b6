import { sep } from 'node:path';

const DRIVE = /^[A-Za-z]:[\\/]/;
const HALVES = /\p{Surrogate}/gu;

/** The name of an input as a path with slashes, without a `./` in front. */
export const pathOf = (name: string): string =>
  name
    .split(sep)
    .join('/')
    .replace(/^(?:\.\/+)+(?=.)/, '');

/** The name of an input as a URI reference: relative where the name is, and percent-encoded. */
export const uriOf = (name: string): string => {
  const path = (DRIVE.test(name) ? `/${name.replaceAll('\\', '/')}` : pathOf(name)).replace(HALVES, '\ufffd');
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return path.startsWith('/') ? `file://${encoded.replace(/^\/+/, '/')}` : encoded;
};
