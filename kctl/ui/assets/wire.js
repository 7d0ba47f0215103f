// One WebSocket for all watches, which comes back by itself.

/**
 * @typedef {object} Watch
 * @property {string} path
 * @property {string} accept
 * @property {(lines: any[]) => void} onLines
 * @property {(status: {code?: number, message?: string}) => void} onEnd
 */

const FIRST_PAUSE = 300;
const LONGEST_PAUSE = 4000;

class Wire {
  constructor() {
    /** @type {Map<number, Watch>} */
    this.watches = new Map();
    this.next = 1;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.pause = FIRST_PAUSE;
    this.open = false;
    /** @type {Set<(open: boolean) => void>} */
    this.listeners = new Set();
  }

  connect() {
    const url = new URL('watch', location.href);
    url.protocol = 'ws:';
    url.hash = '';
    const socket = new WebSocket(url);
    this.socket = socket;
    socket.onopen = () => {
      this.pause = FIRST_PAUSE;
      this.#tell(true);
      for (const [id, watch] of this.watches) this.#ask(id, watch);
    };
    socket.onmessage = (event) => this.#hear(JSON.parse(event.data));
    socket.onclose = () => {
      this.#tell(false);
      const ended = [...this.watches.values()];
      this.watches.clear();
      for (const watch of ended) watch.onEnd({ code: 0, message: 'the console does not answer' });
      setTimeout(() => this.connect(), this.pause);
      this.pause = Math.min(this.pause * 1.6, LONGEST_PAUSE);
    };
  }

  /** @param {Watch} watch @returns {() => void} what ends it */
  watch(watch) {
    const id = this.next++;
    this.watches.set(id, watch);
    if (this.open) this.#ask(id, watch);
    return () => {
      if (this.watches.delete(id) && this.open) this.socket?.send(JSON.stringify({ id, stop: true }));
    };
  }

  /** @param {number} id @param {Watch} watch */
  #ask(id, watch) {
    this.socket?.send(JSON.stringify({ id, path: watch.path, accept: watch.accept }));
  }

  /** @param {any} said */
  #hear(said) {
    const watch = this.watches.get(said.id);
    if (!watch) return;
    if (said.lines) watch.onLines(said.lines);
    if (said.end) {
      this.watches.delete(said.id);
      watch.onEnd(said.end);
    }
  }

  /** @param {boolean} open */
  #tell(open) {
    if (open === this.open) return;
    this.open = open;
    for (const listener of this.listeners) listener(open);
  }
}

export const wire = new Wire();
