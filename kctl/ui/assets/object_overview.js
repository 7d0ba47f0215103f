// What an object is, how it came to be so, who it belongs to and what it has to do with.

import { age, clock } from './ages.js';
import { ask, pathOf } from './api.js';
import { fill, h } from './dom.js';
import { familyTree } from './family.js';
import { liveObjects } from './live.js';
import { timeOf } from './overview_page.js';
import { podSquares, progress, readiness } from './pods.js';
import { relatedTo } from './related.js';
import { link, objectAddress } from './router.js';
import { state } from './state.js';

/** @typedef {import('./api.js').Json} Json */
/** @typedef {import('./api.js').Kind} Kind */

const FAMILY_EVERY = { ours: 5000, others: 30_000 }; // milliseconds: every kind is looked through
const OWNERS = /^(?:deployments|statefulsets|daemonsets|replicasets)\.apps$|^jobs\.batch$|^replicationcontrollers$|^services$/;

/** @param {Kind} kind @param {Json} first @returns {import('./object_page.js').View} */
export function objectOverview(kind, first) {
  const facts = h('dl.facts');
  const rollout = h('section.part', { hidden: true });
  const timeline = h('ol.timeline');
  const family = h('div.family', null, h('p.muted', null, 'Looking …'));
  const related = h('div.related');
  const { uid, namespace } = first.metadata;
  /** @type {Json[]} */
  let events = [];
  let object = first;
  /** @type {import('./live.js').Live[]} */
  const lives = [];
  let stopped = false;

  const eventKind = state.kind('', 'events');
  if (eventKind) {
    lives.push(liveObjects(pathOf(eventKind, namespace || 'default'), { fieldSelector: `involvedObject.uid=${uid}` }, (objects) => {
      events = [...objects.values()];
      drawTimeline();
    }));
  }
  const drawTimeline = () => fill(timeline, happenings(object, events).map(happening));
  const selector = selectorOf(kind, first);
  if (selector) {
    const revisions = kind.resource === 'deployments' ? state.kind('apps', 'replicasets') : undefined;
    /** @type {Json[]} */
    let sets = [];
    /** @type {Json[]} */
    let pods = [];
    const draw = () => drawRollout(rollout, kind, object, sets, pods);
    lives.push(liveObjects(pathOf({ group: '', version: 'v1', resource: 'pods', namespaced: true }, namespace), { labelSelector: selector }, (objects) => { pods = [...objects.values()]; draw(); }));
    if (revisions) lives.push(liveObjects(pathOf(revisions, namespace), { labelSelector: selector }, (objects) => { sets = [...objects.values()]; draw(); }));
  }
  const look = async () => {
    try {
      const found = await ask('family', { uid });
      if (!stopped) fill(family, familyTree(found.members, uid));
    } catch (error) {
      if (!stopped) fill(family, h('p.muted', null, String(error instanceof Error ? error.message : error)));
    }
  };
  const lookAgain = setInterval(() => document.visibilityState === 'visible' && look(), state.about.ours ? FAMILY_EVERY.ours : FAMILY_EVERY.others);
  look();

  return {
    element: h('div.overview-object', null,
      h('div', null, rollout, h('section.part', null, h('h2', null, 'Time line'), timeline)),
      h('div', null, h('section.part', null, h('h2', null, 'About'), facts), h('section.part', null, h('h2', null, 'Belongs together'), family), related)),
    show(now) {
      object = now;
      drawFacts(facts, kind, now);
      drawTimeline();
      relatedTo(kind, now, related);
    },
    stop() {
      stopped = true;
      clearInterval(lookAgain);
      for (const live of lives) live.stop();
    },
  };
}

/** @param {Kind} kind @param {Json} object @returns {string} */
function selectorOf(kind, object) {
  if (!OWNERS.test(kind.group ? `${kind.resource}.${kind.group}` : kind.resource)) return '';
  const { selector } = object.spec ?? {};
  const labels = selector?.matchLabels ?? (kind.group ? {} : selector) ?? {};
  return Object.entries(labels).map(([name, value]) => `${name}=${value}`).join(',');
}

/** @param {HTMLElement} place @param {Kind} kind @param {Json} object @param {Json[]} sets @param {Json[]} pods */
function drawRollout(place, kind, object, sets, pods) {
  place.hidden = false;
  if (kind.resource === 'services' || kind.resource === 'jobs') {
    fill(place, h('h2', null, 'Pods'), podSquares(pods), !pods.length && h('p.muted', null, 'None now.'));
    return;
  }
  const { ready, wanted, updated } = readiness(object);
  const owned = (/** @type {Json} */ set) => pods.filter((pod) => (pod.metadata.ownerReferences ?? []).some((/** @type {Json} */ one) => one.uid === set.metadata.uid));
  const revision = (/** @type {Json} */ set) => Number(set.metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);
  const revisions = sets.filter((set) => (set.spec?.replicas ?? 0) > 0 || owned(set).length).sort((one, other) => revision(other) - revision(one));
  fill(place,
    h('h2', null, 'Rollout'),
    h('div.rollout-line', null, h('strong', null, `${ready} of ${wanted} ready`), kind.resource !== 'replicasets' && updated < wanted && h('span.busy', null, `${updated} updated`)),
    progress(ready, wanted, 'ready'),
    sets.length
      ? revisions.map((set) => h('div.revision', null, h('div.muted.small', null, `Revision ${revision(set)} · ${imagesOf(set)}`), podSquares(owned(set))))
      : podSquares(pods));
}

/** @param {Json} workload */
function imagesOf(workload) {
  return (workload.spec?.template?.spec?.containers ?? []).map((/** @type {Json} */ one) => one.image).join(', ');
}

/** @param {HTMLElement} place @param {Kind} kind @param {Json} object */
function drawFacts(place, kind, object) {
  const { metadata, spec = {} } = object;
  const chips = (/** @type {Record<string, string> | undefined} */ pairs) => {
    const entries = Object.entries(pairs ?? {}).filter(([name]) => name !== 'kubectl.kubernetes.io/last-applied-configuration');
    return entries.length ? entries.map(([name, value]) => h('span.chip', { title: `${name}=${value}` }, h('span.muted', null, name), value ? ` ${value}` : '')) : null;
  };
  const owner = (metadata.ownerReferences ?? []).map((/** @type {Json} */ one) => {
    const ownerKind = state.kindOf(one.apiVersion, one.kind);
    const text = `${one.kind} ${one.name}`;
    return ownerKind ? link(objectAddress(ownerKind, ownerKind.namespaced ? metadata.namespace : '', one.name), text) : text;
  });
  const images = (spec.containers ?? spec.template?.spec?.containers ?? []).map((/** @type {Json} */ one) => h('code', null, one.image));
  /** @type {[string, any][]} */
  const rows = [
    ['Created', h('span', { title: metadata.creationTimestamp }, `${clock(metadata.creationTimestamp)}, ${age(metadata.creationTimestamp)} ago`)],
    ['Belongs to', owner.length ? owner : null],
    ['Images', images.length ? images : null],
    ['Labels', chips(metadata.labels)],
    ['Annotations', chips(metadata.annotations)],
    ['Finalizers', metadata.finalizers?.join(', ')],
    ['Version', metadata.resourceVersion],
  ];
  fill(place, rows.filter(([, value]) => value).map(([name, value]) => [h('dt', null, name), h('dd', null, value)]));
}

/** @typedef {{time: string, title: string, text: string, tone: string, detail: string}} Happening */

/** Conditions, events and what the metadata tells, the latest first. @param {Json} object @param {Json[]} events @returns {Happening[]} */
function happenings(object, events) {
  const { metadata, status } = object;
  /** @type {Happening[]} */
  const all = [{ time: metadata.creationTimestamp, title: 'Created', text: creator(object), tone: '', detail: '' }];
  if (metadata.deletionTimestamp) all.push({ time: metadata.deletionTimestamp, title: 'Asked to go', text: metadata.finalizers?.length ? `waits for ${metadata.finalizers.join(', ')}` : '', tone: 'busy', detail: '' });
  for (const one of status?.conditions ?? []) {
    const good = /Failure|Pressure|Degraded|Unavailable/.test(one.type) ? one.status !== 'True' : one.status === 'True';
    all.push({ time: one.lastTransitionTime ?? one.lastUpdateTime ?? '', title: `${one.type} is ${one.status}`, text: [one.reason, one.message].filter(Boolean).join(': '), tone: good ? 'good' : 'bad', detail: 'condition' });
  }
  for (const one of events) {
    const times = one.series?.count ?? one.count ?? 1;
    all.push({ time: timeOf(one), title: one.reason ?? '', text: one.message ?? one.note ?? '', tone: one.type === 'Warning' ? 'bad' : '', detail: `${one.source?.component || one.reportingComponent || ''}${times > 1 ? ` ×${times}` : ''}` });
  }
  return all.sort((one, other) => (one.time < other.time ? 1 : one.time > other.time ? -1 : 0));
}

/** @param {Json} object */
function creator(object) {
  const [first] = [...(object.metadata.managedFields ?? [])].sort((one, other) => ((one.time ?? '') < (other.time ?? '') ? -1 : 1));
  return first?.manager ? `by ${first.manager}` : '';
}

/** @param {Happening} one */
function happening(one) {
  return h('li', { class: one.tone }, h('time', { datetime: one.time, title: one.time }, one.time ? age(one.time) : ''),
    h('div', null, h('strong', null, one.title), one.detail && h('span.faint.small', null, ` ${one.detail}`), one.text && h('div.muted', null, one.text)));
}
