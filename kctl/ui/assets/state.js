// What the whole page knows: where it is, which kinds there are, what was chosen; and who wants to hear of it.

import { ask, nameOf, Refusal } from './api.js';
import { wire } from './wire.js';

const PAUSE = 1000; // milliseconds

/** @typedef {import('./api.js').Kind} Kind */

/** @typedef {{context: string, server: string, namespace: string, readOnly: boolean, version: string, ours: boolean}} About */

class State extends EventTarget {
  constructor() {
    super();
    /** @type {About} */
    this.about = { context: '', server: '', namespace: 'default', readOnly: false, version: '', ours: false };
    /** @type {Kind[]} */
    this.kinds = [];
    /** @type {Record<string, number>} */
    this.counts = {};
    /** @type {string[]} */
    this.namespaces = [];
    /** The one that is looked at; empty is all of them. */
    this.namespace = '';
    /** @type {Refusal | null} */
    this.problem = null;
    /** @type {() => void} */
    this.stopCounting = () => {};
  }

  /** @param {string} what */
  tell(what) {
    this.dispatchEvent(new Event(what));
  }

  /** @param {string} what @param {() => void} listener @returns {() => void} what ends it */
  hear(what, listener) {
    this.addEventListener(what, listener);
    return () => this.removeEventListener(what, listener);
  }

  /** @param {string} group @param {string} resource @returns {Kind | undefined} */
  kind(group, resource) {
    return this.kinds.find((one) => one.group === group && one.resource === resource);
  }

  /** By what an object says of itself. @param {string} apiVersion @param {string} kind @returns {Kind | undefined} */
  kindOf(apiVersion, kind) {
    const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
    return this.kinds.find((one) => one.kind === kind && one.group === group);
  }

  /** @param {string} namespace */
  choose(namespace) {
    if (namespace === this.namespace) return;
    this.namespace = namespace;
    this.tell('namespace');
    this.count();
  }

  async discover() {
    const kinds = await ask('kinds');
    const before = JSON.stringify(this.kinds);
    this.kinds = kinds;
    if (JSON.stringify(kinds) !== before) this.tell('kinds');
  }

  /** How many there are of each kind in the chosen namespace, as it changes, and whether the server is there. */
  count() {
    this.stopCounting();
    const again = () => this.count();
    this.stopCounting = wire.watch({
      path: `counts?namespace=${this.namespace}`,
      accept: 'application/json',
      onLines: (lines) => {
        const said = lines[lines.length - 1];
        if (said.problem) return this.report(new Refusal({ message: said.problem, reason: 'ServerGone' }, 502));
        this.counts = said.counts;
        this.report(null);
        this.tell('counts');
      },
      onEnd: (status) => {
        this.report(new Refusal({ ...status, reason: 'ServerGone' }, status.code ?? 0));
        setTimeout(again, PAUSE);
      },
    });
  }

  /** Exactly, from who sees them all. @param {Kind} kind @param {number} number */
  setCount(kind, number) {
    const name = nameOf(kind);
    if (this.counts[name] === number) return;
    this.counts[name] = number;
    this.tell('counts');
  }

  /** Whether the server is there. @param {Refusal | null} problem */
  report(problem) {
    const gone = problem?.isGone ? problem : null;
    if (gone?.message === this.problem?.message) return;
    this.problem = gone;
    this.tell('connection');
  }
}

export const state = new State();
