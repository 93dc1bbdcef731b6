/** Elements whose contents are text or other elements, never markup: what a trace says cannot become any. */
type Child = Node | string | undefined;
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

const SVG = 'http://www.w3.org/2000/svg';

const fill = <E extends Element>(made: E, attributes: Attributes, children: readonly Child[]): E => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child !== undefined) made.append(child);
  return made;
};

export const element = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] => fill(document.createElement(tag), attributes, children);

export const shape = <Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] => fill(document.createElementNS(SVG, tag), attributes, children);

/** An element of the page as it is written. */
export const byId = (id: string): HTMLElement => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
};

/** A number as people read it, whatever the language of the browser. */
export const grouped = (value: number): string =>
  Number.isInteger(value) ? String(value).replace(/\B(?=(?:\d{3})+$)/g, '\u202f') : value.toFixed(1);

const MINUTE = 60;
const HOUR = 3600;
/** Seconds in the unit that fits. */
export const duration = (seconds: number | null): string => {
  if (seconds === null) return '–';
  if (seconds < 2 * MINUTE) return `${Math.round(seconds)} s`;
  return seconds < 2 * HOUR ? `${Math.round(seconds / MINUTE)} min` : `${(seconds / HOUR).toFixed(1)} h`;
};

export const badge = (kind: string, text: string): HTMLElement => element('span', { class: `badge ${kind}` }, text);
