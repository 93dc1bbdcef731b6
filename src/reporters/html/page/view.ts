/** What the reader asks to see; it is kept in the page's address, so that a view can be sent to somebody. */
const ORDERS = ['worst', 'id', 'iter', 'spans', 'tokens', 'seconds'] as const;
export type Order = (typeof ORDERS)[number];

export interface View {
  readonly query: string;
  readonly result: string;
  readonly verdict: string;
  readonly rule: string;
  readonly file: string;
  readonly order: Order;
  /** Counts from 0. */
  readonly page: number;
  /** The id of the run that is opened. */
  readonly run: string;
}

export const EVERYTHING: View = {
  query: '',
  result: '',
  verdict: '',
  rule: '',
  file: '',
  order: 'worst',
  page: 0,
  run: '',
};
const TEXTS = ['query', 'result', 'verdict', 'rule', 'file', 'run'] as const;

const MARK = '#?';
/** The view that an address asks for; undefined where it asks for none. */
export const viewIn = (hash: string): View | undefined => {
  if (!hash.startsWith(MARK)) return undefined;
  const asked = new URLSearchParams(hash.slice(MARK.length));
  const order = ORDERS.find((known) => known === asked.get('order')) ?? EVERYTHING.order;
  const page = Number(asked.get('page') ?? 0);
  const texts = Object.fromEntries(TEXTS.map((name) => [name, asked.get(name) ?? '']));
  return { ...EVERYTHING, ...texts, order, page: Number.isSafeInteger(page) && page >= 0 ? page : 0 };
};

export const hashOf = (view: View): string => {
  const said = new URLSearchParams();
  for (const name of TEXTS) if (view[name] !== '') said.set(name, view[name]);
  if (view.order !== EVERYTHING.order) said.set('order', view.order);
  if (view.page > 0) said.set('page', String(view.page));
  return `${MARK}${said}`;
};
