/** The fenced blocks of a language, in order. */
export const blocks = (text: string, language: string): string[] => {
  const fence = '```';
  return text
    .split(`\n${fence}${language}\n`)
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf(fence)));
};
