import { onPath } from './found.mjs';

export const wc = {
  id: 'wc',
  title: 'wc -l',
  role: 'floor',
  takesHostile: true,
  find: () => (onPath('wc') ? { command: ['wc', '-l'], exits: [0] } : { missing: 'wc is not installed' }),
};
