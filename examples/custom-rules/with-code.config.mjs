import { noNewFile } from './no-new-file.mjs';

// A config that is code hands the rule over with a number of its own.
export default {
  custom_rules: [noNewFile(3)],
  rules: { 'no-new-file': 'error' },
};
