// bench/RESULTS.md: one section for each way of asking.

const INTRODUCTION = `# Results

Written by \`npm run bench -- --write\`. Every contender that judges was asked for the verdict, the greatest iteration
and the number of spans of each run, and gave the same answer. They read the trace from stdin, in turn; the figures are
medians, the ratios medians over the turns: how many times as long as the other. Only ratios mean anything: machines
differ. CPU and memory are those of all processes of a contender; for one of several processes, memory adds up what
each of them held at most.
`;

const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ' ');

const coresIn = ({ cores, isPinned }) => {
  if (cores === undefined) return 'all cores';
  return `${cores} core${cores === 1 ? '' : 's'}${isPinned ? '' : ' asked for, not held to'}`;
};

/** A section: its heading, and the whole of it. */
export const sectionOf = (figures) => {
  const { source, describedTrace, runs, spans, reps, machine, versions, table, skipped } = figures;
  const about = [`${number(runs)} runs, ${number(spans)} spans`, source, coresIn(figures)].join('; ');
  const heading = `## ${about} (${describedTrace})`;
  const asked = [machine, `${reps} repetition${reps === 1 ? '' : 's'}`, ...versions].join('; ');
  const missing = skipped.map((contender) => `- ${contender.id} skipped: ${contender.missing}`);
  const lines = [heading, '', `${asked}.`, '', table, '', ...missing];
  return { heading, text: `${lines.join('\n').trimEnd()}\n` };
};

/** The file with the section in the place of the one of the same heading, or at its end. */
export const withSection = (before, { heading, text }) => {
  const sections = before.split(/^(?=## )/m).filter((section) => section.startsWith('## '));
  const at = sections.findIndex((section) => section.startsWith(`${heading}\n`));
  const all = at === -1 ? [...sections, text] : sections.with(at, text);
  return [INTRODUCTION, ...all.map((section) => section.trimEnd().concat('\n'))].join('\n');
};
