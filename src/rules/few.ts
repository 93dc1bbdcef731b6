/** A map that most runs put at most one entry in: the first stands by itself, and a Map is made for the second. */
export interface Few<V> {
  key: string | undefined;
  value: V | undefined;
  more: Map<string, V> | undefined;
}

export const noEntries = <V>(): Few<V> => ({ key: undefined, value: undefined, more: undefined });

export const isEmpty = (few: Few<unknown>): boolean => few.key === undefined && (few.more?.size ?? 0) === 0;

export const entryOf = <V>(few: Few<V>, key: string): V | undefined =>
  few.key === key ? few.value : few.more?.get(key);

export const setEntry = <V>(few: Few<V>, key: string, value: V): void => {
  if (few.key === key || isEmpty(few)) {
    few.key = key;
    few.value = value;
    return;
  }
  few.more ??= new Map();
  few.more.set(key, value);
};

export const deleteEntry = (few: Few<unknown>, key: string): void => {
  if (few.key !== key) few.more?.delete(key);
  else {
    few.key = undefined;
    few.value = undefined;
  }
};

export const deleteAll = (few: Few<unknown>): void => {
  few.key = undefined;
  few.value = undefined;
  few.more = undefined;
};
