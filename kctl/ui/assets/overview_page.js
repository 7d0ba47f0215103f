// The cluster at a glance: workloads on their way, nodes with their pods, what happened last.

import { age } from './ages.js';
import { pathOf, request } from './api.js';
import { fill, h } from './dom.js';
import { liveObjects } from './live.js';
import { podSquares, progress, readiness } from './pods.js';
import { link, objectAddress } from './router.js';
import { state } from './state.js';

/** @typedef {import('./api.js').Json} Json */

const WORKLOADS = [['apps', 'deployments'], ['apps', 'statefulsets'], ['apps', 'daemonsets']];
const EVENTS = 12;
const MOST_PODS = 3000;
const NODE = { group: '', version: 'v1', resource: 'nodes' };

/** @returns {import('./main.js').Page} */
export function overviewPage() {
  const facts = h('p.lead');
  const workloads = h('div.cards');
  const nodes = h('div.cards');
  const events = h('ol.timeline');
  /** @type {Json[]} */
  let pods = [];
  let tooMany = 0;
  /** @type {Json[]} */
  let nodeList = [];
  /** @type {Map<string, Json[]>} */
  const made = new Map();
  /** @type {import('./live.js').Live[]} */
  let lives = [];

  const drawFacts = () => {
    const ready = nodeList.filter(isReady).length;
    fill(facts, state.about.server, ` · ${ready} of ${nodeList.length} ${nodeList.length === 1 ? 'node' : 'nodes'} ready · ${tooMany || pods.length} ${pods.length === 1 ? 'pod' : 'pods'}`, state.about.ours ? ' · a plane of kctl up' : '');
  };
  const drawNodes = () => {
    drawFacts();
    /** @type {Map<string, Json[]>} */
    const byNode = new Map();
    for (const pod of pods) byNode.set(pod.spec?.nodeName ?? '', [...(byNode.get(pod.spec?.nodeName ?? '') ?? []), pod]);
    const waiting = byNode.get('') ?? [];
    fill(nodes,
      nodeList.map((node) => nodeCard(node, byNode.get(node.metadata.name) ?? [])),
      waiting.length > 0 && h('article.card', null, h('h3', null, 'On no node yet'), podSquares(waiting)),
      tooMany > 0 && h('p.muted', null, `${tooMany} pods are too many to draw: choose a namespace to see them on their nodes.`),
      !nodeList.length && h('p.muted', null, 'There are no nodes: pods stay pending.'));
  };
  const drawWorkloads = () => {
    const all = [...made.values()].flat().sort((one, other) => weight(one) - weight(other) || (one.metadata.name < other.metadata.name ? -1 : 1));
    fill(workloads, all.slice(0, 60).map(workloadCard), !all.length && h('p.muted', null, `Nothing runs${state.namespace ? ` in ${state.namespace}` : ''} yet.`), all.length > 60 && h('p.muted', null, `and ${all.length - 60} more`));
  };

  /** So many pods as can be drawn. @param {import('./api.js').Kind} kind */
  const watchPods = async (kind) => {
    const turn = lives;
    const page = await request(`${pathOf(kind, state.namespace)}?limit=1`).catch(() => ({}));
    if (turn !== lives) return;
    const number = (page.items?.length ?? 0) + (page.metadata?.remainingItemCount ?? 0);
    tooMany = number > MOST_PODS ? number : 0;
    if (tooMany) return drawNodes();
    lives.push(liveObjects(pathOf(kind, state.namespace), {}, (objects) => { pods = [...objects.values()]; drawNodes(); }));
  };
  const watch = () => {
    for (const live of lives) live.stop();
    made.clear();
    pods = [];
    lives = WORKLOADS.flatMap(([group, resource]) => {
      const kind = state.kind(group, resource);
      if (!kind) return [];
      return liveObjects(pathOf(kind, state.namespace), {}, (objects) => {
        made.set(resource, [...objects.values()].map((one) => ({ ...one, kind: kind.kind, apiVersion: `${group}/${kind.version}`, at: kind })));
        drawWorkloads();
      });
    });
    const podKind = state.kind('', 'pods');
    if (podKind) watchPods(podKind);
    if (state.kind('', 'nodes')) lives.push(liveObjects('/api/v1/nodes', {}, (objects) => { nodeList = [...objects.values()].sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1)); drawNodes(); }));
    const eventKind = state.kind('', 'events');
    if (eventKind) lives.push(liveObjects(pathOf(eventKind, state.namespace), {}, (objects) => fill(events, latest([...objects.values()]).map(eventItem), !objects.size && h('li.none.muted', null, 'Nothing has happened yet.'))));
    drawWorkloads();
  };
  watch();
  const unhear = state.hear('namespace', watch);
  return {
    title: 'Overview',
    element: h('section.page.overview', null,
      h('h1', null, state.about.context || 'This cluster'), facts,
      h('h2', null, 'Workloads'), workloads, h('h2', null, 'Nodes'), nodes, h('h2', null, 'What happened last'), events),
    focus: () => document.getElementById('main')?.focus(),
    stop() {
      for (const live of lives) live.stop();
      lives = []; // so that nothing begins that was still asked for
      unhear();
    },
  };
}

/** What is on its way comes first. @param {Json} workload */
function weight(workload) {
  const { ready, wanted, updated } = readiness(workload);
  return ready < wanted || updated < wanted ? 0 : 1;
}

/** @param {Json} workload */
function workloadCard(workload) {
  const { ready, wanted, updated } = readiness(workload);
  const { namespace, name } = workload.metadata;
  const moving = ready < wanted || updated < wanted;
  return h('a.card.workload', { href: objectAddress(workload.at, namespace, name) },
    h('div.card-head', null, h('strong', null, name), h('span', { class: moving ? 'word busy' : 'word' }, `${ready}/${wanted}`)),
    h('div.muted.small', null, `${workload.kind} in ${namespace}${moving && updated < wanted ? `, ${updated} updated` : ''}`),
    progress(ready, wanted, `${name}: ${ready} of ${wanted} ready`));
}

/** @param {Json} node */
function isReady(node) {
  return (node.status?.conditions ?? []).some((/** @type {Json} */ one) => one.type === 'Ready' && one.status === 'True');
}

/** @param {Json} node @param {Json[]} pods */
function nodeCard(node, pods) {
  const { name } = node.metadata;
  const most = Number(node.status?.allocatable?.pods ?? 0);
  return h('article.card.node', { 'aria-label': `node ${name}` },
    h('div.card-head', null, link(objectAddress(NODE, '', name), h('strong', null, name)),
      h('span', { class: `word tone ${isReady(node) ? 'good' : 'bad'}` }, node.spec?.unschedulable ? 'cordoned' : isReady(node) ? 'Ready' : 'NotReady')),
    h('div.muted.small', null, `${pods.length}${most ? ` of ${most}` : ''} pods`),
    podSquares(pods));
}

/** @param {Json[]} events */
function latest(events) {
  return events.sort((one, other) => (timeOf(one) < timeOf(other) ? 1 : -1)).slice(0, EVENTS);
}

/** @param {Json} event @returns {string} */
export function timeOf(event) {
  return event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp ?? event.metadata?.creationTimestamp ?? '';
}

/** @param {Json} event */
function eventItem(event) {
  const about = event.involvedObject ?? event.regarding ?? {};
  const kind = state.kindOf(about.apiVersion ?? 'v1', about.kind ?? '');
  const name = `${about.kind} ${about.name}`;
  return h('li', { class: event.type === 'Warning' ? 'bad' : '' },
    h('time', { datetime: timeOf(event), title: timeOf(event) }, age(timeOf(event))),
    h('div', null, h('strong', null, event.reason ?? ''), ' ', kind ? link(objectAddress(kind, about.namespace ?? '', about.name), name) : name, h('div.muted', null, event.message ?? event.note ?? '')));
}

