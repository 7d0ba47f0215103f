// Who owns which field, from managedFields.

/** @typedef {import('./api.js').Json} Json */

/**
 * @typedef {object} Manager
 * @property {string} name
 * @property {string} operation
 * @property {string} subresource
 * @property {string} time
 */

/** @param {Json} object @returns {Manager[]} each once, as they stand */
export function managersOf(object) {
  /** @type {Manager[]} */
  const managers = [];
  for (const entry of object.metadata?.managedFields ?? []) {
    const manager = { name: entry.manager ?? '', operation: entry.operation ?? '', subresource: entry.subresource ?? '', time: entry.time ?? '' };
    managers.push(manager);
  }
  return managers;
}

/** By path, the number of the manager that has the field. @param {Json} object @returns {Map<string, number>} */
export function ownersOf(object) {
  /** @type {Map<string, number>} */
  const owners = new Map();
  (object.metadata?.managedFields ?? []).forEach((/** @type {Json} */ entry, /** @type {number} */ number) => {
    walk(entry.fieldsV1 ?? {}, object, '', number, owners);
  });
  return owners;
}

/** The owner of a field, or of what it is a part of. @param {Map<string, number>} owners @param {string} path */
export function ownerAt(owners, path) {
  for (let place = path; place; place = place.slice(0, place.lastIndexOf('/'))) {
    const owner = owners.get(place);
    if (owner !== undefined) return owner;
  }
  return -1;
}

/** @param {Json} fields @param {any} value @param {string} path @param {number} manager @param {Map<string, number>} owners */
function walk(fields, value, path, manager, owners) {
  for (const [key, below] of Object.entries(fields)) {
    if (key === '.') {
      if (!owners.has(path)) owners.set(path, manager);
      continue;
    }
    const step = stepOf(key, value);
    if (step === undefined || value === null || typeof value !== 'object') continue;
    const place = `${path}/${step}`;
    if (Object.keys(below).length === 0) owners.set(place, manager);
    else walk(below, value[step], place, manager, owners);
  }
}

/** @param {string} key @param {any} value @returns {string | number | undefined} */
function stepOf(key, value) {
  const rest = key.slice(2);
  if (key.startsWith('f:')) return rest;
  if (!Array.isArray(value)) return undefined;
  if (key.startsWith('i:')) return Number(rest);
  let wanted;
  try {
    wanted = JSON.parse(rest);
  } catch {
    return undefined;
  }
  const index = key.startsWith('k:')
    ? value.findIndex((item) => item && Object.entries(wanted).every(([name, part]) => item[name] === part))
    : value.findIndex((item) => item === wanted);
  return index < 0 ? undefined : index;
}
