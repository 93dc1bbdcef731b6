// `npm run page`: makes src/reporters/html/page.ts of the page's script, style and text: what stands before its data, and after.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const read = (name) => readFileSync(new URL(`page/${name}`, import.meta.url), 'utf8');
const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The script in one piece that the page may hold: nothing in it ends its element. */
const scriptOf = async () => {
  const input = fileURLToPath(new URL('page/main.ts', import.meta.url));
  const bundle = await rolldown({ input, platform: 'browser', tsconfig: false });
  const { output } = await bundle.generate({ format: 'iife', minify: true, comments: false });
  const [{ code }, ...others] = output;
  await bundle.close();
  if (others.length > 0 || /<[/!]/.test(code)) throw new Error('the script does not fit into the page');
  return code.trim();
};

const script = await scriptOf();
const style = read('page.css').replaceAll(/\s+/g, ' ').trim();
const policy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');
const parts = { PAGE_POLICY: policy, '/* PAGE_STYLE */': style, '/* PAGE_SCRIPT */': script };
const [before, after] = Object.entries(parts)
  .reduce((page, [place, text]) => page.replace(place, () => text), read('page.html').trim())
  .split('"PAGE_DATA"');

const line = (name, text) => `export const ${name} = ${JSON.stringify(text)};\n`;
writeFileSync(
  new URL('page.ts', import.meta.url),
  `// Made by npm run page.\n${line('BEFORE_DATA', before)}${line('AFTER_DATA', `${after}\n`)}`,
);
