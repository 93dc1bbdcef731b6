import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import AjvDraft04 from 'ajv-draft-04';
import addFormats from 'ajv-formats';

interface Location {
  readonly physicalLocation: {
    readonly artifactLocation: { readonly uri: string };
    readonly region?: { readonly startLine: number; readonly startColumn?: number };
  };
}

/** What the tests look at in a log of SARIF with one run. */
export interface Sarif {
  readonly runs: readonly [
    {
      readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
      readonly invocations: readonly [
        {
          readonly exitCode: number;
          readonly executionSuccessful: boolean;
          readonly toolExecutionNotifications: readonly {
            readonly descriptor: { readonly id: string };
            readonly level: string;
            readonly message: { readonly text: string };
            readonly locations?: readonly Location[];
          }[];
        },
      ];
      readonly results: readonly {
        readonly ruleId: string;
        readonly ruleIndex: number;
        readonly level: string;
        readonly message: { readonly text: string };
        readonly locations: readonly Location[];
        readonly partialFingerprints: Readonly<Record<string, string>>;
      }[];
    },
  ];
}

// The schema of OASIS, as it is published for JSON tools.
const require = createRequire(import.meta.url);
const path = require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
const ajv = new AjvDraft04.default({ strict: false, unicodeRegExp: false });
addFormats.default(ajv);
const isSarif = ajv.compile<Sarif>(JSON.parse(readFileSync(path, 'utf8')));

/** @throws what the schema has against it */
export const parseSarif = (text: string): Sarif => {
  const parsed: unknown = JSON.parse(text);
  if (!isSarif(parsed)) throw new Error(ajv.errorsText(isSarif.errors));
  return parsed;
};
