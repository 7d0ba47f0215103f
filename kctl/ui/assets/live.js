// A collection that stays current: listed in pages, then watched, and listed anew when its place in history is gone.

import { request, Refusal } from './api.js';
import { wire } from './wire.js';

/** @typedef {import('./api.js').Json} Json */

const FORMS = {
  table: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
  object: 'application/json',
};
const PAGE = 500;
const PAUSE = 1000;

/**
 * @typedef {object} Reader
 * @property {(page: Json, first: boolean, last: boolean) => void} onPage  a piece of the list
 * @property {(events: {type: string, object: Json}[]) => void} onEvents
 * @property {(problem: Refusal | null) => void} [onState]  what is wrong now, or that nothing is
 */

export class Live {
  /**
   * @param {string} path  of a collection
   * @param {{form?: 'table' | 'object', query?: Record<string, string>}} options
   * @param {Reader} reader
   */
  constructor(path, options, reader) {
    this.path = path;
    this.accept = FORMS[options.form ?? 'object'];
    this.query = options.query ?? {};
    this.reader = reader;
    this.stopped = false;
    /** @type {() => void} */
    this.stopWatch = () => {};
    this.#run();
  }

  stop() {
    this.stopped = true;
    this.stopWatch();
  }

  async #run() {
    while (!this.stopped) {
      try {
        let version = await this.#list();
        this.reader.onState?.(null);
        while (version && !this.stopped) version = await this.#watch(version);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (this.stopped) return;
        if (error.code !== 410) this.reader.onState?.(error);
        if (error.code === 403 || error.code === 404 || error.code === 405) await pause(PAUSE * 5);
        else if (error.code !== 410) await pause(PAUSE);
      }
    }
  }

  /** @returns {Promise<string>} the version of what was listed */
  async #list() {
    let token = '';
    let version = '';
    let first = true;
    do {
      const query = new URLSearchParams({ ...this.query, limit: String(PAGE) });
      if (token) query.set('continue', token);
      const page = await request(`${this.path}?${query}`, { accept: this.accept });
      if (this.stopped) return '';
      token = page.metadata?.continue ?? '';
      version = page.metadata?.resourceVersion ?? '';
      this.reader.onPage(page, first, !token);
      first = false;
    } while (token);
    return version;
  }

  /**
   * Until it ends; the version to go on from.
   * @param {string} version
   * @returns {Promise<string>}
   */
  #watch(version) {
    const query = new URLSearchParams({ ...this.query, watch: 'true', resourceVersion: version, allowWatchBookmarks: 'true' });
    const began = Date.now();
    return new Promise((resolve, reject) => {
      this.stopWatch = wire.watch({
        path: `${this.path}?${query}`,
        accept: this.accept,
        onLines: (lines) => {
          const events = [];
          for (const event of lines) {
            if (event.type === 'ERROR') {
              this.stopWatch();
              reject(new Refusal(event.object ?? {}, event.object?.code ?? 500));
              return;
            }
            version = versionOf(event.object) || version;
            if (event.type !== 'BOOKMARK') events.push(event);
          }
          if (events.length && !this.stopped) this.reader.onEvents(events);
        },
        onEnd: (status) => {
          if (status.code === 0) reject(new Refusal({ ...status, reason: 'ServerGone' }, 0));
          else if (status.code) reject(new Refusal(status, status.code));
          else setTimeout(() => resolve(version), Date.now() - began < PAUSE ? PAUSE : 0);
        },
      });
    });
  }
}

/** Of an object, or of a table with one row. @param {Json | undefined} object */
function versionOf(object) {
  return object?.metadata?.resourceVersion || object?.rows?.[0]?.object?.metadata?.resourceVersion || '';
}

/** @param {number} milliseconds @returns {Promise<void>} */
export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/**
 * All objects of a collection in a map that stays current; `changed` is called once in a frame at most.
 * @param {string} path @param {Record<string, string>} query @param {(objects: Map<string, Json>) => void} changed
 * @returns {Live}
 */
export function liveObjects(path, query, changed) {
  /** @type {Map<string, Json>} */
  const objects = new Map();
  let waiting = false;
  const tell = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      if (!live.stopped) changed(objects);
    });
  };
  const live = new Live(path, { query }, {
    onPage(page, first) {
      if (first) objects.clear();
      for (const item of page.items ?? []) objects.set(item.metadata.uid, item);
      tell();
    },
    onEvents(events) {
      for (const { type, object } of events) {
        if (type === 'DELETED') objects.delete(object.metadata.uid);
        else objects.set(object.metadata.uid, object);
      }
      tell();
    },
  });
  return live;
}
