// Requests to the console's server, which passes them on to the API.

/** @typedef {{[key: string]: any}} Json */

/**
 * @typedef {object} Kind
 * @property {string} group
 * @property {string} version
 * @property {string} resource
 * @property {string} kind
 * @property {boolean} namespaced
 * @property {string[]} verbs
 * @property {string[]} shortNames
 * @property {string[]} categories
 * @property {string[]} subresources
 */

/** What the server refused, in its own words. */
export class Refusal extends Error {
  /** @param {Json} status @param {number} code */
  constructor(status, code) {
    super(status.message || `the server answered ${code}`);
    this.code = status.code || code;
    this.reason = status.reason || '';
    this.status = status;
  }

  /** Whether nobody is there to answer. */
  get isGone() {
    return this.reason === 'ServerGone' || this.code === 0;
  }
}

/**
 * @param {string} path  below the console's room
 * @param {{method?: string, body?: string, type?: string, accept?: string, signal?: AbortSignal}} [options]
 * @returns {Promise<Response>}
 */
async function send(path, options = {}) {
  /** @type {Record<string, string>} */
  const headers = { 'X-Kctl-Ui': '1', Accept: options.accept ?? 'application/json' };
  if (options.body !== undefined) headers['Content-Type'] = options.type ?? 'application/json';
  let answer;
  try {
    answer = await fetch(path, { method: options.method ?? 'GET', headers, body: options.body, signal: options.signal ?? null });
  } catch {
    throw new Refusal({ message: 'the console does not answer: has `kctl ui` ended?', reason: 'ServerGone' }, 0);
  }
  if (answer.ok) return answer;
  const text = await answer.text();
  let status;
  try {
    status = JSON.parse(text);
  } catch {
    status = { message: text.slice(0, 500) };
  }
  throw new Refusal(status, answer.status);
}

/** What only the console knows: about, kinds, counts, search, family, skeleton. @param {string} question @param {Record<string, string>} [query] @returns {Promise<any>} */
export async function ask(question, query = {}) {
  const text = new URLSearchParams(query).toString();
  return (await send(text ? `${question}?${text}` : question)).json();
}

/**
 * A request to the API.
 * @param {string} path @param {{method?: string, body?: string, type?: string, accept?: string}} [options]
 * @returns {Promise<any>}
 */
export async function request(path, options) {
  return (await send(`k8s${path}`, options)).json();
}

/** A text of the API's that goes on, such as a log: its pieces as they come. @param {string} path @param {AbortSignal} signal */
export async function* follow(path, signal) {
  const answer = await send(`k8s${path}`, { accept: '*/*', signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const piece = await reader?.read();
    if (!piece || piece.done) return;
    yield piece.value;
  }
}

/** Where the objects of a kind are. @param {{group: string, version: string, resource: string, namespaced: boolean}} kind @param {string} [namespace] @param {string} [name] */
export function pathOf(kind, namespace = '', name = '') {
  const root = kind.group ? `/apis/${kind.group}/${kind.version}` : `/api/${kind.version}`;
  const place = kind.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${place}/${kind.resource}${name ? `/${encodeURIComponent(name)}` : ''}`;
}

/** `deployments.apps` @param {{group: string, resource: string}} kind */
export function nameOf(kind) {
  return kind.group ? `${kind.resource}.${kind.group}` : kind.resource;
}
