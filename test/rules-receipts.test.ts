import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import canonicalizeModule from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { check, checkBytes, foundRules, onlyRun } from './judge.js';
import { claims, minted, RECEIPT_BREAKS, RECEIPT_DOUBTS, RECEIPTS_OF_OTHERS } from './rows-receipts.js';
import { lines } from './trace-words.js';

// The package is CommonJS: Node imports the function itself, its types put it under `default`.
const canonicalize = canonicalizeModule as unknown as (value: unknown) => string;

const RECEIPTS = { require: ['receipts'] };
const FAMILY = [
  'no-receipt',
  'failed-verify',
  'partial-verify',
  'stale-receipt',
  'expired-receipt',
  'forged-receipt',
  'receipt-reuse',
  'dropped-item',
];

describe('the five situations', () => {
  test.each([
    ['never-verified', ['no-receipt']],
    ['verified-and-failed', ['no-receipt', 'failed-verify']],
    ['passed-then-changed', ['stale-receipt']],
    ['one-component-only', ['partial-verify']],
    ['passed-and-unchanged', []],
  ])('%s', async (name, broken) => {
    const run = onlyRun(await check(readFileSync(`fixtures/receipts/${name}.jsonl`, 'utf8').trimEnd().split('\n')));
    expect(foundRules(run)).toEqual(broken);
    // Receipts are required there: a claim without one leaves more than one rule unproven.
    expect(run.fails).toBe(broken.includes('no-receipt'));
    if (!broken.includes('no-receipt')) expect(run.unverifiable).toEqual([]);
  });
});

describe('what receipts could not prove is said', () => {
  const rulesOf = async (words: string, settings: object = {}): Promise<string[]> =>
    onlyRun(await check(lines(words), settings)).unverifiable.map(({ rule }) => rule);
  const kept = 'verify:v1 receipt:r1,verify_ids=v1';

  test.each(RECEIPT_DOUBTS)('%s of %s', async (rule, words) => {
    expect(await rulesOf(words)).toContain(rule);
  });

  test.each([
    ['stale-receipt', `${kept},worktree=w tool:a,worktree=w stop:done`],
    ['stale-receipt', `${kept} tool:a,effect=wait stop:done`],
    ['stale-receipt', `tool:a ${kept} stop:done`],
    ['expired-receipt', `${kept} stop:done`],
    ['failed-verify', 'verify:v1,exit_code=null verify:v2 stop:done'],
    ['partial-verify', 'verify:v1 verify:v2,scope=null receipt:r1,verify_ids=v1|v2 stop:done'],
    ['forged-receipt', 'verify:v1 stop:blocked'],
  ])('but not %s of %s', async (rule, words) => {
    expect(await rulesOf(words)).not.toContain(rule);
  });

  test('of a window that may lack the evidence', async () => {
    const words = 'receipt:r1,verify_ids=v1 stop:done,receipt_ids=r0';
    expect(await rulesOf(words, { partial: true })).toEqual(expect.arrayContaining(['no-receipt', 'forged-receipt']));
  });
});

describe('where receipts are required', () => {
  const judged = async (words: string) => onlyRun(await check(lines(words), { config: RECEIPTS }));

  test('a done with nothing behind it breaks no-receipt, and leaves the other seven unproven', async () => {
    const run = await judged('start@0 tool@1:a stop@1:done');
    expect([foundRules(run), run.required, run.fails]).toEqual([['no-receipt'], FAMILY.slice(1), true]);
  });

  test('a claim that was verified and has no receipt fails', async () => {
    expect((await judged('start@0 verify:v1 stop@0:done')).fails).toBe(true);
  });

  test.each([
    ['a claim that is proven', 'start@0 tool@1:a verify:v1 receipt:r1,verify_ids=v1 stop@1:done'],
    [
      'items that are proven',
      `start@0 tool@1:a verify:v1,item=a receipt:r1,verify_ids=v1,item=a complete:a,receipt_id=r1
       verify:v2,item=b receipt:r2,verify_ids=v2,item=b stop@1:done,items=a|b,receipt_ids=r1|r2`,
    ],
    ['a run that claims nothing', 'start@0 tool@1:a stop@1:blocked'],
    ['a run that failed its verification and says so', 'start@0 tool@1:a verify:v1,exit_code=1 stop@1:rejected'],
  ])('%s passes', async (_name, words) => {
    const run = await judged(words);
    expect([run.findings, run.unverifiable, run.fails]).toEqual([[], [], false]);
  });

  test('nothing is asked of a run without material where they are not', async () => {
    const run = onlyRun(await check(lines('start@0 tool@1:a stop@1:done')));
    expect([run.findings, run.unverifiable]).toEqual([[], []]);
  });
});

describe('where a claim breaks', () => {
  const _kept = 'verify:v1 receipt:r1,verify_ids=v1';

  test.each(RECEIPT_BREAKS)('%s of %s is told at seq %i', async (rule, words, seq, message, evidence) => {
    const finding = onlyRun(await check(lines(words))).findings.find((found) => found.rule === rule);
    expect(finding).toMatchObject({ at: { seq }, evidence });
    expect(finding?.message).toContain(message);
  });

  test('is where it is made, and how often is counted', async () => {
    const run = onlyRun(await check(lines('complete:a complete:b stop:done,items=a')));
    expect(run.findings.find(({ rule }) => rule === 'no-receipt')).toMatchObject({
      at: { seq: 1 },
      evidence: { item: 'a', count: 3 },
    });
  });

  test('long names are cut in the message', async () => {
    const run = onlyRun(await check(lines(`complete:${'x'.repeat(65)} stop:handoff`)));
    expect(run.findings.find(({ rule }) => rule === 'no-receipt')?.message).toBe(
      `complete stands on no receipt for item ${'x'.repeat(64)}…`,
    );
  });
});

describe('receipts of other runs', () => {
  test.each(RECEIPTS_OF_OTHERS)('%s', async (_name, trace, broken, unverifiable) => {
    const { runs } = await check(trace);
    const ids = (said: (run: (typeof runs)[number]) => readonly { rule: string }[]) =>
      runs.filter((run) => said(run).some(({ rule }) => rule === 'receipt-reuse')).map(({ runId }) => runId);
    expect([ids((run) => run.findings), ids((run) => run.unverifiable)]).toEqual([broken, unverifiable]);
  });

  test('are counted, and told where the first is claimed', async () => {
    const second = lines('start@0 verify:v1 receipt:r2,verify_ids=v1 stop@0:done', 'c');
    const { runs } = await check([...minted, ...second, ...claims('r0|r2|r1')]);
    expect(
      runs.find(({ runId }) => runId === 'b')?.findings.find(({ rule }) => rule === 'receipt-reuse'),
    ).toMatchObject({
      at: { seq: 2 },
      message: 'the claim stands on a receipt that another run minted',
      evidence: { receipt_id: 'r2', count: 2 },
    });
  });

  test('are told at the first of several claims', async () => {
    const twice = lines('complete:x,receipt_id=r1 complete:x,receipt_id=r1 stop:handoff', 'b');
    const { runs } = await check([...minted, ...twice]);
    expect(runs[1]?.findings.find(({ rule }) => rule === 'receipt-reuse')?.at.seq).toBe(1);
  });

  test('are told once of a run that also reuses its own', async () => {
    const { runs } = await check([...minted, ...lines('receipt:r3 receipt:r3 stop:done,receipt_ids=r1', 'b')]);
    expect(runs.flatMap(({ findings }) => findings.filter(({ rule }) => rule === 'receipt-reuse'))).toHaveLength(1);
  });
});

const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();

describe('signatures', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const other = generateKeyPairSync('ed25519');
  const [first = '', plain = '', last = ''] = lines('verify:v1 receipt:r1,verify_ids=v1 stop:done');
  const second = JSON.stringify({ ...JSON.parse(plain), note: 'é<">\n', n: 1.5, nested: { b: [1, null], a: {} } });
  const unsigned: object = JSON.parse(second);
  const signatureBy = (key: KeyObject, receipt: object = unsigned): string =>
    sign(null, Buffer.from(canonicalize(receipt)), key).toString('base64');
  const signed = { ...unsigned, signature: signatureBy(privateKey) };
  const config = { receipt_keys: [pem(publicKey)] };
  const foundIn = async (receipt: string, keys: readonly string[] = config.receipt_keys): Promise<string[]> =>
    foundRules(onlyRun(await check([first, receipt, last], { config: { receipt_keys: keys } })));

  test('of the whole line are kept', async () => {
    expect(await foundIn(JSON.stringify(signed))).not.toContain('forged-receipt');
  });

  test('by any of the keys are kept, whatever the others are', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const keys = ['no key', pem(rsa.publicKey), pem(other.publicKey), pem(publicKey)];
    expect(await foundIn(JSON.stringify(signed), keys)).not.toContain('forged-receipt');
    expect(await foundIn(JSON.stringify(signed), keys.slice(0, -1))).toContain('forged-receipt');
  });

  test('by another kind of key are forged', async () => {
    // Its signatures are as long as those of Ed25519.
    const short = generateKeyPairSync('rsa', { modulusLength: 512 });
    const line = JSON.stringify({ ...unsigned, signature: signatureBy(short.privateKey) });
    expect(await foundIn(line, [pem(short.publicKey)])).toContain('forged-receipt');
  });

  test('have one spelling', async () => {
    const last = signed.signature.at(-3) ?? '';
    const sameBits = String.fromCharCode(last.charCodeAt(0) + 1);
    const respelt = signed.signature.replace(/.==$/, `${sameBits}==`);
    expect(Buffer.from(respelt, 'base64')).toEqual(Buffer.from(signed.signature, 'base64'));
    expect(await foundIn(JSON.stringify({ ...unsigned, signature: respelt }))).toContain('forged-receipt');
  });

  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  test.each<readonly [string, string]>([
    ['missing', second],
    ['null', JSON.stringify({ ...unsigned, signature: null })],
    ['empty', JSON.stringify({ ...unsigned, signature: '' })],
    ['a number', JSON.stringify({ ...unsigned, signature: 5 })],
    ['no base64', JSON.stringify({ ...unsigned, signature: '*'.repeat(88) })],
    ['cut', JSON.stringify({ ...unsigned, signature: signed.signature.slice(4) })],
    ['without its padding', JSON.stringify({ ...unsigned, signature: signed.signature.replace('==', '') })],
    ['of another key', JSON.stringify({ ...unsigned, signature: signatureBy(other.privateKey) })],
    ['of the line as it was', JSON.stringify({ ...signed, worktree: 'x' })],
    ['of the line without a key', JSON.stringify({ ...signed, more: null })],
    ['of a line with __proto__', JSON.stringify(signed).replace('{', '{"__proto__":{"run_id":"r"},')],
    ['of a line too deep to sign', JSON.stringify(signed).replace('{', `{"deep":${nested(5000)},`)],
    ['of a line too deep to keep', JSON.stringify(signed).replace('{', `{"deep":${nested(200_000)},`)],
  ])('that are %s are forged', async (_name, receipt) => {
    expect(await foundIn(receipt)).toContain('forged-receipt');
  });

  test('cover __proto__ as a key like any other', async () => {
    const receipt: object = JSON.parse(second.replace('{', '{"__proto__":{"x":1},'));
    const line = JSON.stringify(receipt).replace('{', `{"signature":"${signatureBy(privateKey, receipt)}",`);
    expect(line).toContain('__proto__');
    expect(await foundIn(line)).not.toContain('forged-receipt');
  });

  test('are kept of a run that arrives out of order', async () => {
    const run = onlyRun(await check([last, JSON.stringify(signed), first], { config }));
    expect(foundRules(run)).not.toContain('forged-receipt');
  });

  test('do not depend on the order of keys, or on white space', async () => {
    const entries = Object.entries(signed);
    const shuffled = fc.shuffledSubarray(entries, { minLength: entries.length });
    await fc.assert(
      fc.asyncProperty(shuffled, fc.constantFrom('', ' ', '\t', '  '), async (pairs, space) => {
        const fields = pairs.map(
          ([key, value]) => `${space}${JSON.stringify(key)}${space}:${space}${JSON.stringify(value)}`,
        );
        expect(await foundIn(`{${fields.join(`${space},`)}${space}}`)).not.toContain('forged-receipt');
      }),
      { numRuns: 100 },
    );
  });

  test('break with any one byte of the line', async () => {
    const line = Buffer.from(JSON.stringify(signed));
    await fc.assert(
      fc.asyncProperty(fc.nat(line.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const bytes = Buffer.from(line);
        bytes[at] = (bytes[at] ?? 0) ^ change;
        const trace = Buffer.concat([Buffer.from(`${first}\n`), bytes, Buffer.from(`\n${last}\n`)]);
        const { inputErrors, runs } = await checkBytes(trace, { config });
        // A line that is no longer JSON, no longer of the run, or no longer a receipt leaves the claim without one.
        const found = runs.flatMap(foundRules);
        expect(inputErrors.length > 0 || found.includes('forged-receipt') || found.includes('no-receipt')).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
