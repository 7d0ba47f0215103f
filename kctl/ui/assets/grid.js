// A table of any length: only the rows that are seen are in the page, and they are filled once in a frame at most.

import { h, fill } from './dom.js';
import { cellText, isAge } from './rows.js';
import { toneOf } from './tones.js';

/** @typedef {import('./rows.js').Rows} Rows */
/** @typedef {import('./rows.js').Row} Row */

const HEIGHT = 34;
const NARROW_HEIGHT = 56;
const AROUND = 8;
const SAMPLE = 200;
const WIDEST = 44;
const FLASH = 1200;
const narrow = matchMedia('(max-width: 640px)');

/** @typedef {{element: HTMLElement, cells: HTMLElement[], row: Row | null, index: number, stamp: string}} Slot */

export class Grid {
  /**
   * @param {Rows} rows
   * @param {{label: string, onOpen: (row: Row) => void, empty: () => string, addressOf?: (row: Row) => string, tone?: (column: string, text: string, row: Row) => string}} options
   */
  constructor(rows, options) {
    this.rows = rows;
    this.options = options;
    this.wide = false;
    /** The key of the row that the keyboard is on. */
    this.current = '';
    /** @type {Slot[]} */
    this.slots = [];
    /** @type {number[]} */
    this.columns = [];
    this.frame = 0;
    this.layout = '';
    this.head = h('div.grid-head', { role: 'row' });
    this.space = h('div.grid-space', { role: 'presentation' });
    this.empty = h('p.empty', { role: 'status' });
    this.body = h('div.grid-body', { role: 'presentation' }, this.space);
    this.element = h('div.grid', { role: 'grid', tabindex: '0', 'aria-label': options.label, on: { keydown: (/** @type {KeyboardEvent} */ event) => this.#key(event) } }, this.head, this.body, this.empty);
    this.element.addEventListener('scroll', () => this.draw(), { passive: true });
    this.resized = new ResizeObserver(() => { this.layout = ''; this.draw(); });
    this.resized.observe(this.element);
    this.ticking = setInterval(() => this.draw(), 1000);
    narrow.addEventListener('change', this.#turned);
  }

  #turned = () => {
    for (const slot of this.slots) slot.element.remove();
    this.slots = [];
    this.layout = '';
    this.draw();
  };

  stop() {
    clearInterval(this.ticking);
    cancelAnimationFrame(this.frame);
    this.resized.disconnect();
    narrow.removeEventListener('change', this.#turned);
  }

  /** In the next frame. */
  draw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.rows.settle();
      this.#draw();
    });
  }

  #draw() {
    const { rows } = this;
    const height = narrow.matches ? NARROW_HEIGHT : HEIGHT;
    this.#lay();
    this.space.style.height = `${rows.shown.length * height}px`;
    this.element.setAttribute('aria-rowcount', String(rows.shown.length + 1));
    this.empty.hidden = rows.shown.length > 0;
    if (!rows.shown.length) this.empty.textContent = this.options.empty();
    const top = Math.max(0, this.element.scrollTop - (narrow.matches ? 0 : HEIGHT));
    const first = Math.max(0, Math.floor(top / height) - AROUND);
    const last = Math.min(rows.shown.length, Math.ceil((top + this.element.clientHeight) / height) + AROUND);
    const wanted = last - first;
    while (this.slots.length < wanted) this.slots.push(this.#slot());
    const now = performance.now();
    for (let place = 0; place < this.slots.length; place++) {
      const index = first + ((place - (first % this.slots.length) + this.slots.length) % this.slots.length);
      const slot = this.slots[place];
      const row = index < last ? rows.shown[index] : undefined;
      if (!row) {
        slot.element.hidden = true;
        slot.row = null;
      } else this.#show(slot, row, index, height, now);
    }
  }

  /** Widths, from the widest of some rows; header cells. */
  #lay() {
    const { columns } = this.rows;
    const shape = `${columns.map((one) => one.name).join()}|${this.wide}|${narrow.matches}|${Math.min(this.rows.shown.length, SAMPLE)}|${this.rows.by}${this.rows.descending}|${this.element.clientWidth}`;
    if (shape === this.layout) return;
    this.layout = shape;
    this.columns = columns.map((_, index) => index).filter((index) => this.wide || columns[index].priority === 0);
    const sample = this.rows.shown.slice(0, SAMPLE);
    const widths = this.columns.map((column) => {
      const texts = sample.map((row) => cellText(row, columns, column).length);
      const widest = Math.min(WIDEST, Math.max(columns[column].name.length + 2, ...texts, 3));
      return columns[column].name === 'Name' ? `minmax(${Math.min(widest + 2, 28)}ch, 2fr)` : `minmax(${Math.min(widest + 2, 12)}ch, ${widest + 2}ch)`;
    });
    this.element.style.setProperty('--columns', widths.join(' '));
    this.element.classList.toggle('narrow', narrow.matches);
    fill(this.head, this.columns.map((column) => this.#headCell(column)));
    for (const slot of this.slots) slot.stamp = '';
  }

  /** @param {number} column */
  #headCell(column) {
    const { rows } = this;
    const { name, description } = rows.columns[column];
    const sorted = rows.by === column ? (rows.descending ? 'descending' : 'ascending') : 'none';
    const arrow = { ascending: ' ↑', descending: ' ↓', none: '' }[sorted];
    const act = () => { rows.sort(column); this.element.scrollTop = 0; this.draw(); };
    return h('div.cell', { role: 'columnheader', 'aria-sort': sorted }, h('button', { type: 'button', title: description || `Sort by ${name}`, on: { click: act } }, `${name}${arrow}`));
  }

  /** @returns {Slot} */
  #slot() {
    const element = h('div.row', { role: 'row' });
    /** @type {Slot} */
    const slot = { element, cells: [], row: null, index: -1, stamp: '' };
    element.addEventListener('click', (event) => {
      if (!slot.row || getSelection()?.toString()) return;
      if (event.target instanceof Element && event.target.closest('a') && (event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.current = slot.row.key;
      this.options.onOpen(slot.row);
    });
    this.space.append(element);
    return slot;
  }

  /** @param {Slot} slot @param {Row} row @param {number} index @param {number} height @param {number} now */
  #show(slot, row, index, height, now) {
    const { element } = slot;
    if (slot.index !== index || element.hidden) {
      element.hidden = false;
      element.style.transform = `translateY(${index * height}px)`;
      element.setAttribute('aria-rowindex', String(index + 2));
      element.id = `row-${index}`;
      slot.index = index;
    }
    const current = row.key === this.current;
    if (current) this.element.setAttribute('aria-activedescendant', element.id);
    element.classList.toggle('current', current);
    element.setAttribute('aria-selected', String(current));
    element.classList.toggle('deleting', row.deleting);
    const flash = row.changed > 0 && now - row.changed < FLASH;
    if (element.classList.contains('flash') !== flash) element.classList.toggle('flash', flash);
    const { columns } = this.rows;
    const ages = this.columns.filter((column) => isAge(columns[column])).map((column) => cellText(row, columns, column));
    const stamp = `${this.layout}${ages.join()}`;
    if (slot.row === row && slot.stamp === stamp) return;
    slot.row = row;
    slot.stamp = stamp;
    if (slot.cells.length !== this.columns.length) {
      slot.cells = this.columns.map(() => h('div.cell', { role: 'gridcell' }));
      fill(element, slot.cells);
    }
    this.columns.forEach((column, place) => this.#fill(slot.cells[place], row, column));
  }

  /** @param {HTMLElement} cell @param {Row} row @param {number} column */
  #fill(cell, row, column) {
    const { columns } = this.rows;
    const name = columns[column].name;
    const text = cellText(row, columns, column);
    const tone = this.options.tone?.(name, text, row) ?? toneOf(name, text, row.cells);
    const kind = `cell${name === 'Name' ? ' name' : ''}${name === 'Namespace' ? ' space' : ''}${tone ? ` tone ${tone}` : ''}${typeof row.cells[column] === 'number' ? ' number' : ''}`;
    if (cell.className !== kind) cell.className = kind;
    if (name === 'Name' && this.options.addressOf) {
      let anchor = cell.firstElementChild;
      if (!anchor) fill(cell, (anchor = h('a', { tabindex: '-1' })));
      anchor.setAttribute('href', this.options.addressOf(row));
      anchor.textContent = text;
    } else if (cell.textContent !== text || cell.firstElementChild) cell.textContent = text;
    if (narrow.matches && name !== 'Name') cell.dataset.label = name;
    if (text.length > 18) cell.title = text;
    else cell.removeAttribute('title');
  }

  /** Where the keyboard is; -1 if the row is not shown. */
  get place() {
    return this.rows.shown.findIndex((row) => row.key === this.current);
  }

  /** @param {number} place */
  select(place) {
    const { shown } = this.rows;
    if (!shown.length) return;
    const index = Math.max(0, Math.min(shown.length - 1, place));
    this.current = shown[index].key;
    const height = narrow.matches ? NARROW_HEIGHT : HEIGHT;
    const head = narrow.matches ? 0 : HEIGHT;
    const top = index * height;
    const seen = this.element.clientHeight - head;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    else if (top + height > this.element.scrollTop + seen) this.element.scrollTop = top + height - seen;
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || (event.target !== this.element && event.key === 'Enter')) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / HEIGHT) - 2);
    const { length } = this.rows.shown;
    const place = this.place;
    const moves = /** @type {Record<string, number>} */ ({
      ArrowDown: place + 1, j: place + 1, ArrowUp: place - 1, k: place - 1, Home: 0, End: length - 1, G: length - 1,
      PageDown: place + page, PageUp: place - page,
    });
    if (event.key in moves) this.select(moves[event.key]);
    else if (event.key === 'Enter' && place >= 0) this.options.onOpen(this.rows.shown[place]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
