const FENCE = '```';

/** The command that a model's message gives to be run: its last fenced block. */
export const commandIn = (text: string): string | undefined => {
  const close = text.lastIndexOf(FENCE);
  const open = close <= 0 ? -1 : text.lastIndexOf(FENCE, close - 1);
  if (open < 0) return undefined;
  const block = text.slice(open + FENCE.length, close);
  const lineEnd = block.indexOf('\n');
  return lineEnd < 0 ? undefined : block.slice(lineEnd + 1).trim() || undefined;
};
