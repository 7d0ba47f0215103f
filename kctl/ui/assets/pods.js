// Pods as squares, coloured by how they are; rollouts as the squares of their revisions.

import { age } from './ages.js';
import { h } from './dom.js';
import { objectAddress } from './router.js';
import { podTone } from './tones.js';

/** @typedef {import('./api.js').Json} Json */

const PODS = { group: '', version: 'v1', resource: 'pods' };
const MOST = 400;

/** @param {Json[]} pods */
export function podSquares(pods) {
  const sorted = [...pods].sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  const shown = sorted.slice(0, MOST).map((pod) => {
    const { tone, word } = podTone(pod);
    const { namespace, name, creationTimestamp } = pod.metadata;
    return h('a.square', { class: tone, href: objectAddress(PODS, namespace, name), title: `${namespace}/${name}\n${word}, ${age(creationTimestamp)}`, 'aria-label': `pod ${name}: ${word}` });
  });
  return h('div.squares', null, shown, sorted.length > MOST && h('span.muted', null, `and ${sorted.length - MOST} more`));
}

/** How far a workload is: a bar of what is ready, of what is wanted. @param {number} ready @param {number} wanted @param {string} label */
export function progress(ready, wanted, label) {
  const part = wanted ? Math.min(100, Math.round((ready / wanted) * 100)) : 100;
  return h('div.progress', { role: 'meter', 'aria-valuemin': '0', 'aria-valuemax': String(wanted), 'aria-valuenow': String(ready), 'aria-label': label, class: ready >= wanted ? 'whole' : '' },
    h('div', { style: { width: `${part}%` } }));
}

/** @param {Json} workload @returns {{ready: number, wanted: number, updated: number}} */
export function readiness(workload) {
  const { spec = {}, status = {} } = workload;
  if (workload.kind === 'DaemonSet' || status.desiredNumberScheduled !== undefined) {
    return { ready: status.numberReady ?? 0, wanted: status.desiredNumberScheduled ?? 0, updated: status.updatedNumberScheduled ?? 0 };
  }
  return { ready: status.readyReplicas ?? 0, wanted: spec.replicas ?? 1, updated: status.updatedReplicas ?? 0 };
}
