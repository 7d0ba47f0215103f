// How long ago, as kubectl says it.

const SECOND = 1;
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86400;

/** @param {string | null | undefined} time  RFC 3339 @param {number} [now] */
export function age(time, now = Date.now()) {
  if (!time) return '';
  return duration(Math.max(0, Math.floor((now - Date.parse(time)) / 1000)));
}

/** @param {number} seconds */
export function duration(seconds) {
  if (seconds < 2 * MINUTE) return `${Math.floor(seconds / SECOND)}s`;
  const minutes = Math.floor(seconds / MINUTE);
  if (minutes < 10) return seconds % MINUTE ? `${minutes}m${seconds % MINUTE}s` : `${minutes}m`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(seconds / HOUR);
  if (hours < 8) return minutes % 60 ? `${hours}h${minutes % 60}m` : `${hours}h`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(seconds / DAY);
  if (hours < 192) return hours % 24 ? `${days}d${hours % 24}h` : `${days}d`;
  if (days < 730) return `${days}d`;
  return `${Math.floor(days / 365)}y`;
}

/** On the user's clock. @param {string | null | undefined} time */
export function clock(time) {
  if (!time) return '';
  const date = new Date(time);
  const today = new Date().toDateString() === date.toDateString();
  const hours = date.toLocaleTimeString(undefined, { hour12: false });
  return today ? hours : `${date.toLocaleDateString(undefined, { month: 'short', day: 'numeric' })} ${hours}`;
}
