// The kinds that the server has, with how many there are.

import { nameOf } from './api.js';
import { fill, h } from './dom.js';
import { address, listAddress } from './router.js';
import { state } from './state.js';

/** @typedef {import('./api.js').Kind} Kind */

/** @type {[string, string[]][]} */
const SECTIONS = [
  ['Workloads', ['deployments.apps', 'statefulsets.apps', 'daemonsets.apps', 'replicasets.apps', 'pods', 'jobs.batch', 'cronjobs.batch', 'horizontalpodautoscalers.autoscaling', 'poddisruptionbudgets.policy', 'replicationcontrollers']],
  ['Network', ['services', 'endpointslices.discovery.k8s.io', 'ingresses.networking.k8s.io', 'ingressclasses.networking.k8s.io', 'networkpolicies.networking.k8s.io']],
  ['Configuration', ['configmaps', 'secrets', 'resourcequotas', 'limitranges']],
  ['Storage', ['persistentvolumeclaims', 'persistentvolumes', 'storageclasses.storage.k8s.io', 'volumeattachments.storage.k8s.io']],
  ['Cluster', ['namespaces', 'nodes', 'events', 'leases.coordination.k8s.io', 'customresourcedefinitions.apiextensions.k8s.io']],
  ['Access', ['serviceaccounts', 'roles.rbac.authorization.k8s.io', 'rolebindings.rbac.authorization.k8s.io', 'clusterroles.rbac.authorization.k8s.io', 'clusterrolebindings.rbac.authorization.k8s.io']],
];
const BUILT_IN = /(?:^|\.)(?:k8s\.io)$|^(?:|apps|batch|autoscaling|policy)$/;

export class Sidebar {
  /** @param {() => void} onChoose */
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.element = h('nav.sidebar', { 'aria-label': 'Kinds' });
    /** @type {Map<string, HTMLElement>} */
    this.counts = new Map();
    /** @type {Map<string, HTMLElement>} */
    this.links = new Map();
    state.hear('kinds', () => this.draw());
    state.hear('counts', () => this.count());
    addEventListener('hashchange', () => this.mark());
    this.element.addEventListener('click', (event) => {
      if (event.target instanceof Element && event.target.closest('a')) this.onChoose();
    });
  }

  draw() {
    this.counts.clear();
    this.links.clear();
    const left = new Map(state.kinds.map((kind) => [nameOf(kind), kind]));
    const sections = SECTIONS.map(([title, names]) => {
      const kinds = names.map((name) => left.get(name)).filter((kind) => kind !== undefined);
      for (const kind of kinds) left.delete(nameOf(kind));
      return /** @type {[string, Kind[]]} */ ([title, kinds]);
    });
    const others = [...left.values()];
    const custom = others.filter((kind) => !BUILT_IN.test(kind.group));
    const groups = new Map();
    for (const kind of custom) groups.set(kind.group, [...(groups.get(kind.group) ?? []), kind]);
    const own = [...groups].sort(([one], [other]) => one.localeCompare(other));
    const rest = others.filter((kind) => BUILT_IN.test(kind.group));
    fill(this.element,
      h('ul.views', null, this.#view('#/', 'Overview'), state.about.ours && [this.#view('#/requests', 'Requests'), this.#view('#/faults', 'Faults'), this.#view('#/access', 'Permissions')]),
      own.map(([group, kinds]) => this.#section(group, kinds)),
      sections.map(([title, kinds]) => this.#section(title, kinds)),
      rest.length > 0 && this.#section('More', rest, false));
    this.count();
    this.mark();
  }

  /** @param {string} hash @param {string} text */
  #view(hash, text) {
    const anchor = h('a', { href: hash }, text);
    this.links.set(hash, anchor);
    return h('li', null, anchor);
  }

  /** @param {string} title @param {Kind[]} kinds @param {boolean} [open] */
  #section(title, kinds, open = true) {
    if (!kinds.length) return null;
    const items = kinds.map((kind) => {
      const number = h('span.count', { 'aria-hidden': 'true' });
      const hash = listAddress(kind);
      const anchor = h('a', { href: hash, title: nameOf(kind) }, h('span', null, kind.kind), number);
      this.counts.set(nameOf(kind), number);
      this.links.set(hash, anchor);
      return h('li', null, anchor);
    });
    return h('details', { open }, h('summary', { title }, title), h('ul', null, items));
  }

  count() {
    for (const [name, element] of this.counts) {
      const number = state.counts[name];
      const text = number === undefined ? '' : number.toLocaleString('en');
      if (element.textContent !== text) element.textContent = text;
      element.parentElement?.classList.toggle('none', number === 0);
    }
  }

  mark() {
    const here = address();
    const hash = here.page === 'list' || here.page === 'object' || here.page === 'create' ? `#/list/${here.parts.slice(0, 3).join('/')}` : `#/${here.page}`;
    for (const [target, anchor] of this.links) {
      if (target === hash) anchor.setAttribute('aria-current', 'page');
      else anchor.removeAttribute('aria-current');
    }
  }
}
