import spinner from 'yocto-spinner';
import type { Reached } from './trace.js';

/** Numbers with the unit that leaves at most three digits before the point, and a digit after it where there is one. */
const scaled = (value: number, units: readonly string[]): string => {
  let left = value;
  let unit = 0;
  while (left >= 999.5 && unit < units.length - 1) {
    left /= 1000;
    unit += 1;
  }
  return `${unit > 0 && left < 9.95 ? left.toFixed(1) : left.toFixed(0)}${units[unit]}`;
};
const BYTES = [' B', ' kB', ' MB', ' GB', ' TB'];
const COUNTS = ['', 'k', 'M', 'G'];

const SECONDS = 60;
const durationText = (seconds: number): string => {
  const whole = Math.ceil(seconds);
  if (whole < SECONDS) return `${whole} s`;
  const minutes = Math.ceil(seconds / SECONDS);
  return minutes < SECONDS ? `${minutes} min` : `${Math.floor(minutes / SECONDS)} h ${minutes % SECONDS} min`;
};

/** What is said of work that has taken so long: numbers alone, nothing of the trace. */
export const progressText = ({ isSecondLook, bytes, of, spans, share }: Reached, milliseconds: number): string => {
  const seconds = milliseconds / 1000;
  // A file may have grown since it was opened.
  const known = of === undefined || bytes > of ? '' : ` of ${scaled(of, BYTES)}`;
  const left = share === undefined || share === 0 ? undefined : (seconds / share) * (1 - share);
  return [
    `${isSecondLook ? 'late runs: ' : ''}${scaled(bytes, BYTES)}${known}`,
    ...(spans > 0 && seconds > 0 ? [`${scaled(spans / seconds, COUNTS)} spans/s`] : []),
    ...(left === undefined || left === 0 ? [] : [`${durationText(left)} left`]),
  ].join(', ');
};

/** A line of a terminal that is written over. */
export interface ProgressLine {
  show(reached: Reached, milliseconds: number): void;
  /** Takes the line away. */
  end(): void;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what hides a cursor and shows it
const CURSOR = /^\u001b\[\?25[hl]$/;
/** The terminal, but for its cursor: a signal may end the process, and nobody would bring the cursor back. */
const withCursor = (terminal: NodeJS.WriteStream): NodeJS.WriteStream => {
  const write = (text: string): boolean => CURSOR.test(text) || terminal.write(text);
  return Object.create(terminal, { write: { value: write, writable: true } });
};

export const openLine = (terminal: NodeJS.WriteStream): ProgressLine => {
  // Signals do what they do without it: while bytes are read, no listener would be called.
  const line = spinner({ stream: withCursor(terminal), handleSignals: false });
  return {
    show(reached, milliseconds) {
      const text = progressText(reached, milliseconds);
      if (line.isSpinning) line.text = text;
      else line.start(text);
    },
    end: () => void line.stop(),
  };
};
