// Preloaded into a measured process: writes its peak memory, in kilobytes, and its CPU seconds to descriptor 3.
import { writeSync } from 'node:fs';

const REPORT = 3;

process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  writeSync(REPORT, JSON.stringify({ maxRSS, cpu: (userCPUTime + systemCPUTime) / 1e6 }));
});
