import { type ForeignInput, lookAt, refusePrinted, type TranslationOptions } from '../foreign.js';
import { findInputs, isInputError, isMissing, isNoFile, reasonOf } from '../input.js';
import { EXIT, type InputError } from '../report.js';
import { inputErrorLines, translations } from '../reporters/people.js';
import { NOTHING_MORE } from '../span.js';
import type { TraceListener } from '../trace.js';
import { createTranslation } from '../translation.js';
import type { CheckStreams } from './check.js';
import type { ConvertRequest } from './request.js';

const NATIVE = 'is native already, or of no format that is known; see terminal-contract formats';

/** `terminal-contract convert [files..]`: foreign traces as one native trace that is judged the same. */
export const convert = async (
  { files, from, isQuiet }: ConvertRequest,
  options: TranslationOptions,
  { stdin, stdout, stderr }: Pick<CheckStreams, 'stdin' | 'stdout' | 'stderr'>,
): Promise<number> => {
  const inputs = await findInputs(files.length === 0 ? ['-'] : files, stdin, () => '');
  const errors: InputError[] = [];
  const listener: Pick<TraceListener, 'onFault' | 'onMiss'> = {
    onFault: (file, { code, column, message }, line) => void errors.push({ file, line, column, code, message }),
    onMiss: (file, code, message) => void errors.push({ file, line: undefined, column: undefined, code, message }),
  };
  const foreign: ForeignInput[] = [];
  for (const [file, input] of inputs.entries()) {
    if (isMissing(input)) {
      listener.onMiss(file, input.code, input.because);
      continue;
    }
    if (isNoFile(input)) continue;
    try {
      const found = await lookAt(input, file, from ?? 'auto');
      if (found.kind === 'foreign') foreign.push(found.input);
      else {
        found.opened.source.close();
        if (found.kind !== 'native' && input.isFound === true) continue;
        if (found.kind === 'printed') refusePrinted(found.bytes, file, listener, NOTHING_MORE);
        else listener.onMiss(file, 'unreadable-input', NATIVE);
      }
    } catch (error) {
      if (!isInputError(error)) throw error;
      listener.onMiss(file, 'unreadable-input', `cannot be read: ${reasonOf(error)}`);
    }
  }
  const { pieces, told } = createTranslation(foreign, options, listener);
  if (foreign.length > 0) for await (const piece of pieces) await stdout(piece.toString());
  const said = { files: inputs.map(({ name }) => name), translated: told };
  if (!isQuiet) for (const text of translations(said)) await stderr(text);
  for (const text of inputErrorLines({ files: said.files, inputErrors: errors })) await stderr(text);
  const isWhole = errors.every(({ code }) => code === 'torn-tail') && told.some(({ runs }) => runs > 0);
  return isWhole ? EXIT.kept : EXIT.unjudged;
};
