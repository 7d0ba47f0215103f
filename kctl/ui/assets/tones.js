// How things are, by the words that servers use: well, on their way, or not well.

/** @typedef {'good' | 'busy' | 'bad' | 'done' | ''} Tone */

const GOOD = /^(?:running|ready|active|bound|available|true|healthy|established|synced|approved|approved,issued|normal|progressing|200|201)$/i;
const BUSY = /^(?:pending|containercreating|podinitializing|terminating|init:.*|unknown|released|schedulinggated|notready,.*|ready,schedulingdisabled|suspended)$/i;
const DONE = /^(?:completed|complete|succeeded)$/i;
const BAD = /^(?:failed|error|crashloopbackoff|imagepullbackoff|errimagepull|oomkilled|evicted|lost|notready|warning|denied|.*error|.*backoff|unavailable|deadlineexceeded)$/i;
const PART = /^(\d+)\/(\d+)$/;
const TELLING = /^(?:status|phase|ready|state|available|condition|type|reason|up-to-date|synced|healthy)$/i;

/** Of a cell, by its column; what is done need not be ready. @param {string} column @param {string} text @param {any[]} [row] @returns {Tone} */
export function toneOf(column, text, row = []) {
  if (!TELLING.test(column)) return '';
  const part = PART.exec(text);
  if (part) return part[1] === part[2] || row.some((cell) => DONE.test(String(cell))) ? '' : 'busy';
  if (text === 'False' && /^(?:ready|available|healthy|synced)$/i.test(column)) return 'bad';
  return wordTone(text);
}

/** @param {string} text @returns {Tone} */
export function wordTone(text) {
  if (GOOD.test(text)) return 'good';
  if (DONE.test(text)) return 'done';
  if (BUSY.test(text)) return 'busy';
  if (BAD.test(text)) return 'bad';
  return '';
}

/** @param {import('./api.js').Json} pod @returns {{tone: Tone, word: string}} */
export function podTone(pod) {
  const status = pod.status ?? {};
  if (pod.metadata?.deletionTimestamp) return { tone: 'busy', word: 'Terminating' };
  for (const container of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
    const waiting = container.state?.waiting?.reason;
    if (waiting && BAD.test(waiting)) return { tone: 'bad', word: waiting };
  }
  if (status.phase === 'Running') {
    const ready = (status.conditions ?? []).some((/** @type {any} */ one) => one.type === 'Ready' && one.status === 'True');
    return ready ? { tone: 'good', word: 'Running' } : { tone: 'busy', word: 'Running, not ready' };
  }
  return { tone: wordTone(status.phase ?? 'Pending'), word: status.phase ?? 'Pending' };
}
