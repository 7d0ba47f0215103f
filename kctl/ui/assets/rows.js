// The rows of a table in order: filtered, sorted, and kept so while they change. A change that leaves its row where it is
// costs a search; others one pass over the rows for the whole batch, and never sorting all of them again.

import { age } from './ages.js';

/** @typedef {import('./api.js').Json} Json */

/** @typedef {{name: string, type: string, priority: number, description?: string}} Column */

/**
 * @typedef {object} Row
 * @property {string} key
 * @property {string} namespace
 * @property {string} name
 * @property {any[]} cells
 * @property {string} created
 * @property {Record<string, string>} labels
 * @property {boolean} deleting
 * @property {string} text  what a filter looks into
 * @property {number} changed  when it last changed while we watched
 * @property {any} [data]
 */

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

export class Rows {
  constructor() {
    /** @type {Column[]} */
    this.columns = [];
    /** @type {Map<string, Row>} */
    this.all = new Map();
    /** @type {Row[]} */
    this.shown = [];
    /** @type {string[]} */
    this.words = [];
    /** Which column they are sorted by; -1 is the server's own order, which is by name. */
    this.by = -1;
    this.descending = false;
    /** Changes that are not in `shown` yet, by key. @type {Map<string, Row | null>} */
    this.pending = new Map();
  }

  /** @param {Iterable<Row>} rows */
  add(rows) {
    for (const row of rows) this.pending.set(row.key, row);
  }

  /** @param {string} key */
  remove(key) {
    this.pending.set(key, null);
  }

  clear() {
    this.all.clear();
    this.pending.clear();
    this.shown = [];
  }

  /** Take in what has changed. */
  settle() {
    if (!this.pending.size) return;
    const touched = this.pending;
    this.pending = new Map();
    /** @type {Row[]} */
    const fresh = [];
    const gone = new Set();
    for (const [key, row] of touched) {
      const before = this.all.get(key);
      if (row) this.all.set(key, row);
      else this.all.delete(key);
      const place = before ? placeOf(this.shown, before, this.#compare) : -1;
      const isShown = Boolean(row && this.#matches(row));
      if (place >= 0 && row && before && isShown && this.#compare(before, row) === 0) {
        this.shown[place] = row; // most changes leave a row where it is
        continue;
      }
      if (place >= 0) gone.add(before);
      if (row && isShown) fresh.push(row);
    }
    if (!gone.size && !fresh.length) return;
    const kept = gone.size ? this.shown.filter((row) => !gone.has(row)) : this.shown;
    this.shown = merge(kept, fresh.sort(this.#compare), this.#compare);
  }

  /** @param {string} text */
  filter(text) {
    this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.arrange();
  }

  /** @param {number} column */
  sort(column) {
    if (this.by === column && this.descending) this.by = -1;
    else [this.by, this.descending] = [column, this.by === column];
    if (this.by === -1) this.descending = false;
    this.arrange();
  }

  arrange() {
    this.settle();
    this.shown = [...this.all.values()].filter((row) => this.#matches(row)).sort(this.#compare);
  }

  /** @param {Row} row */
  #matches(row) {
    return this.words.every((word) => (word.startsWith('!') && word.length > 1 ? !row.text.includes(word.slice(1)) : row.text.includes(word)));
  }

  /** @type {(one: Row, other: Row) => number} */
  #compare = (one, other) => {
    if (this.by >= 0) {
      const order = compareCells(valueOf(one, this.columns, this.by), valueOf(other, this.columns, this.by));
      if (order) return this.descending ? -order : order;
    }
    return one.namespace < other.namespace ? -1 : one.namespace > other.namespace ? 1 : one.key < other.key ? -1 : one.key > other.key ? 1 : 0;
  };
}

/** @param {Row} row @param {Column[]} columns @param {number} column */
function valueOf(row, columns, column) {
  if (isAge(columns[column])) return row.created ? -Date.parse(row.created) : 0;
  return row.cells[column];
}

/** @param {any} one @param {any} other */
function compareCells(one, other) {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return collator.compare(String(one ?? ''), String(other ?? ''));
}

/** Where a row stands among sorted ones; -1 if it does not. @param {Row[]} rows @param {Row} row @param {(one: Row, other: Row) => number} compare */
function placeOf(rows, row, compare) {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(rows[middle], row) < 0) low = middle + 1;
    else high = middle;
  }
  return rows[low] === row ? low : -1;
}

/** @param {Row[]} rows @param {Row[]} others @param {(one: Row, other: Row) => number} compare */
function merge(rows, others, compare) {
  if (!others.length) return rows;
  if (!rows.length) return others;
  const merged = [];
  let next = 0;
  for (const row of rows) {
    while (next < others.length && compare(others[next], row) < 0) merged.push(others[next++]);
    merged.push(row);
  }
  while (next < others.length) merged.push(others[next++]);
  return merged;
}

/** Whether a column tells how old an object is, which goes on without the server. @param {Column | undefined} column */
export function isAge(column) {
  return column?.name === 'Age';
}

/** The text of a cell, now. @param {Row} row @param {Column[]} columns @param {number} column */
export function cellText(row, columns, column) {
  if (isAge(columns[column]) && row.created) return age(row.created);
  const value = row.cells[column];
  return value === null || value === undefined ? '' : String(value);
}

/** From a row of a server's table. @param {Json} row @param {boolean} withNamespace  as its first cell @param {number} [changed] @returns {Row} */
export function tableRow(row, withNamespace, changed = 0) {
  const metadata = row.object?.metadata ?? {};
  const cells = withNamespace ? [metadata.namespace ?? '', ...(row.cells ?? [])] : row.cells ?? [];
  const labels = metadata.labels ?? {};
  const words = [metadata.name ?? '', metadata.namespace ?? '', ...cells, ...Object.entries(labels).map(([name, value]) => `${name}=${value}`)];
  return {
    key: `${metadata.namespace ?? ''}/${metadata.name ?? ''}`,
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    cells,
    created: metadata.creationTimestamp ?? '',
    labels,
    deleting: Boolean(metadata.deletionTimestamp),
    text: words.join(' ').toLowerCase(),
    changed,
  };
}
