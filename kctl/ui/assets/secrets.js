// What is secret is covered until somebody asks for it: in YAML, in differences, in the past.

/** @typedef {import('./api.js').Json} Json */

const COVER = '••••••••';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** @param {{group: string, resource: string}} kind */
export function isSecret(kind) {
  return kind.group === '' && kind.resource === 'secrets';
}

/** A copy with covers in the place of values. @param {Json} object @returns {Json} */
export function covered(object) {
  const copy = structuredClone(object);
  for (const field of ['data', 'stringData']) for (const name of Object.keys(copy[field] ?? {})) copy[field][name] = COVER;
  if (copy.metadata?.annotations?.[LAST_APPLIED]) copy.metadata.annotations[LAST_APPLIED] = COVER;
  return copy;
}
