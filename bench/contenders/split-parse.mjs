// What it costs to make objects of the lines, without looking at them. Started by itself, it counts those of stdin.
import split2 from 'split2';

const countLines = async (source) => {
  let lines = 0;
  for await (const _ of source.pipe(split2(JSON.parse))) lines += 1;
  return lines;
};

export const splitParse = {
  id: 'split2',
  title: 'split2 and JSON.parse, nothing judged',
  role: 'part',
  takesHostile: false,
  find: () => ({ command: [process.execPath, import.meta.filename], exits: [0] }),
};

if (import.meta.filename === process.argv[1]) console.log(await countLines(process.stdin));
