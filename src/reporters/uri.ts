import { sep } from 'node:path';

/** The name of an input as a path with slashes, without a `./` in front. */
export const pathOf = (name: string): string =>
  name
    .split(sep)
    .join('/')
    .replace(/^(?:\.\/+)+(?=.)/, '');
