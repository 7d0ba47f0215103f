// What an object speaks of, and what speaks of it: references by name, selectors, bindings.

import { pathOf, request } from './api.js';
import { fill, h } from './dom.js';
import { link, objectAddress } from './router.js';
import { state } from './state.js';

/** @typedef {import('./api.js').Json} Json */
/** @typedef {import('./api.js').Kind} Kind */
/** @typedef {{how: string, kind: Kind, namespace: string, name: string}} Related */

/** Fields that name an object, whatever they are in. @type {Record<string, [string, string]>} */
const NAMES = {
  nodeName: ['', 'nodes'], serviceAccountName: ['', 'serviceaccounts'], secretName: ['', 'secrets'], configMapName: ['', 'configmaps'], claimName: ['', 'persistentvolumeclaims'],
  volumeName: ['', 'persistentvolumes'], storageClassName: ['storage.k8s.io', 'storageclasses'], ingressClassName: ['networking.k8s.io', 'ingressclasses'],
  priorityClassName: ['scheduling.k8s.io', 'priorityclasses'], runtimeClassName: ['node.k8s.io', 'runtimeclasses'], serviceName: ['', 'services'],
};
/** Fields with an object that has a name. @type {Record<string, [string, string]>} */
const PARTS = {
  secretRef: ['', 'secrets'], secretKeyRef: ['', 'secrets'], configMapRef: ['', 'configmaps'], configMapKeyRef: ['', 'configmaps'], configMap: ['', 'configmaps'],
  persistentVolumeClaim: ['', 'persistentvolumeclaims'], service: ['', 'services'], imagePullSecrets: ['', 'secrets'],
};
const LEFT_OUT = new Set(['metadata', 'managedFields']);
const MOST = 40;
const AGAIN = 10_000; // milliseconds: who mentions an object is asked no more often
let turn = 0;
/** @type {{uid: string, time: number, others: Related[]}} */
let last = { uid: '', time: 0, others: [] };

/** @param {Kind} kind @param {Json} object @param {HTMLElement} place */
export async function relatedTo(kind, object, place) {
  const number = ++turn;
  const mentions = mentioned(object);
  const { uid } = object.metadata;
  if (last.uid !== uid) last = { uid, time: 0, others: [] };
  draw(place, [...mentions, ...last.others]);
  if (Date.now() - last.time < AGAIN) return;
  last.time = Date.now();
  const others = await mentioning(kind, object).catch(() => []);
  if (number !== turn && last.uid !== uid) return;
  last.others = others;
  draw(place, [...mentions, ...others]);
}

/** @param {HTMLElement} place @param {Related[]} all */
function draw(place, all) {
  const seen = new Map(all.map((one) => [`${one.how}/${one.kind.resource}/${one.namespace}/${one.name}`, one]));
  const shown = [...seen.values()].slice(0, MOST);
  const stamp = [...seen.keys()].join();
  if (place.dataset.stamp === stamp) return;
  place.dataset.stamp = stamp;
  fill(place, shown.length > 0 && h('section.part', null, h('h2', null, 'Has to do with'), h('ul.links', null, shown.map((one) =>
    h('li', null, h('span.faint', null, `${one.how} `), link(objectAddress(one.kind, one.namespace, one.name), [h('span.faint', null, `${one.kind.kind} `), one.name]))))));
}

/** @param {Json} object @returns {Related[]} */
function mentioned(object) {
  const space = object.metadata.namespace ?? '';
  /** @type {Related[]} */
  const found = [];
  const add = (/** @type {Kind | undefined} */ kind, /** @type {any} */ name, /** @type {any} */ namespace = space) => {
    if (kind && typeof name === 'string' && name) found.push({ how: 'uses', kind, namespace: kind.namespaced ? String(namespace ?? space) : '', name });
  };
  const walk = (/** @type {any} */ value) => {
    if (Array.isArray(value)) return value.forEach(walk);
    if (value === null || typeof value !== 'object') return;
    if (typeof value.kind === 'string' && typeof value.name === 'string' && value !== object) {
      const group = value.apiGroup ?? (value.apiVersion?.includes('/') ? value.apiVersion.split('/')[0] : undefined);
      const kind = state.kinds.find((one) => one.kind === value.kind && (group === undefined || one.group === group));
      add(kind, value.name, value.namespace);
    }
    for (const [key, below] of Object.entries(value)) {
      if (LEFT_OUT.has(key)) continue;
      if (key in NAMES) add(state.kind(...NAMES[key]), below);
      else if (key in PARTS) for (const one of [below].flat()) add(state.kind(...PARTS[key]), one?.name, one?.namespace);
      walk(below);
    }
  };
  walk(object.spec ?? {});
  for (const key of ['roleRef', 'subjects', 'webhooks', 'secrets', 'involvedObject']) walk(object[key]);
  if (object.kind === 'EndpointSlice') add(state.kind('', 'services'), object.metadata.labels?.['kubernetes.io/service-name']);
  return found;
}

/** @param {Kind} kind @param {Json} object @returns {Promise<Related[]>} */
async function mentioning(kind, object) {
  const { namespace, name, labels = {} } = object.metadata;
  const all = async (/** @type {string} */ group, /** @type {string} */ resource, /** @type {(item: Json) => boolean} */ has, /** @type {string} */ how, /** @type {string} */ space = namespace) => {
    const other = state.kind(group, resource);
    if (!other) return [];
    const page = await request(`${pathOf(other, space)}?limit=500`).catch(() => ({ items: [] }));
    return page.items.filter(has).map((/** @type {Json} */ item) => ({ how, kind: other, namespace: item.metadata.namespace ?? '', name: item.metadata.name }));
  };
  const selects = (/** @type {Record<string, string> | undefined} */ selector) => Boolean(selector) && Object.keys(selector ?? {}).length > 0 && Object.entries(selector ?? {}).every(([key, value]) => labels[key] === value);
  const is = (/** @type {string} */ group, /** @type {string} */ resource) => kind.group === group && kind.resource === resource;
  const rbac = 'rbac.authorization.k8s.io';
  if (is('', 'pods')) return all('', 'services', (item) => selects(item.spec?.selector), 'selected by');
  if (is('', 'services')) return all('discovery.k8s.io', 'endpointslices', (item) => item.metadata.labels?.['kubernetes.io/service-name'] === name, 'told by');
  if (is('', 'serviceaccounts')) {
    const subject = (/** @type {Json} */ item) => (item.subjects ?? []).some((/** @type {Json} */ one) => one.kind === 'ServiceAccount' && one.name === name && one.namespace === namespace);
    return [...(await all(rbac, 'rolebindings', subject, 'named by', '')), ...(await all(rbac, 'clusterrolebindings', subject, 'named by', ''))];
  }
  if (is(rbac, 'roles')) return all(rbac, 'rolebindings', (item) => item.roleRef?.kind === 'Role' && item.roleRef.name === name, 'granted by');
  if (is(rbac, 'clusterroles')) {
    const grants = (/** @type {Json} */ item) => item.roleRef?.kind === 'ClusterRole' && item.roleRef.name === name;
    return [...(await all(rbac, 'clusterrolebindings', grants, 'granted by', '')), ...(await all(rbac, 'rolebindings', grants, 'granted by', ''))];
  }
  if (is('', 'configmaps') || is('', 'secrets') || is('', 'persistentvolumeclaims')) {
    return all('', 'pods', (item) => mentioned({ ...item, kind: 'Pod' }).some((one) => one.kind.resource === kind.resource && one.name === name), 'used by');
  }
  return [];
}
