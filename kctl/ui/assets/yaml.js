// Objects as YAML, line by line, each with the path of the field that it shows.

/** @typedef {import('./api.js').Json} Json */

/**
 * @typedef {object} Line
 * @property {string} lead  spaces and dashes
 * @property {string} key
 * @property {string} value
 * @property {string} path  `/spec/containers/0/image`
 */

const WORDS = /^(?:y|n|yes|no|true|false|on|off|null|~|=|<<)$/i;
const NUMBERS = /^[-+]?(?:[0-9_.:]+|\.(?:inf|nan))$/i;
const ADDRESS = /^\d+\.\d+\.\d+(?:\.\d+)?(?:\/\d+)?$/;
const DATE = /^\d{4}-\d{1,2}-\d{1,2}/;
const PLAIN = /^[A-Za-z0-9_/.$+(<-][^\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]*$/;
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\t]/;

/** @param {Json} object @returns {Line[]} */
export function linesOf(object) {
  /** @type {Line[]} */
  const lines = [];
  write(lines, object, '', '', '');
  return lines;
}

/** @param {Json} object */
export function yamlOf(object) {
  return linesOf(object).map(textOf).join('\n') + '\n';
}

/** @param {Line} line */
export function textOf(line) {
  return line.lead + line.key + (line.key && line.value ? ' ' : '') + line.value;
}

/** @param {Json} object @param {string[]} fields  of metadata and of the whole, such as `status` */
export function without(object, fields) {
  const { metadata, ...rest } = object;
  const kept = Object.fromEntries(Object.entries(metadata ?? {}).filter(([name]) => !fields.includes(`metadata.${name}`)));
  const whole = Object.fromEntries(Object.entries(rest).filter(([name]) => !fields.includes(name)));
  const { apiVersion, kind, ...others } = whole;
  return { apiVersion, kind, metadata: kept, ...others };
}

/**
 * @param {Line[]} lines @param {any} value @param {string} indent @param {string} first  what the first line begins with
 * @param {string} path
 */
function write(lines, value, indent, first, path) {
  const isList = Array.isArray(value);
  const entries = isList ? value.map((item, index) => [index, item]) : Object.entries(value);
  let lead = first || indent;
  for (const [name, item] of entries) {
    if (item === undefined) continue;
    const here = `${path}/${name}`;
    if (isList) {
      if (isFilled(item)) write(lines, item, `${indent}  `, `${lead}- `, here);
      else scalar(lines, `${lead}- `, '', item, `${indent}  `, here);
    } else if (isFilled(item)) {
      lines.push({ lead, key: `${quoted(String(name))}:`, value: '', path: here });
      if (Array.isArray(item)) write(lines, item, indent, '', here);
      else write(lines, item, `${indent}  `, '', here);
    } else {
      scalar(lines, lead, `${quoted(String(name))}:`, item, `${indent}  `, here);
    }
    lead = indent;
  }
}

/** @param {any} value */
function isFilled(value) {
  return value !== null && typeof value === 'object' && (Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0);
}

/** @param {Line[]} lines @param {string} lead @param {string} key @param {any} value @param {string} indent @param {string} path */
function scalar(lines, lead, key, value, indent, path) {
  if (typeof value === 'string' && isBlock(value)) {
    const ends = value.endsWith('\n') ? (value.endsWith('\n\n') ? '+' : '') : '-';
    lines.push({ lead, key, value: `|${ends}`, path });
    const body = value.endsWith('\n') ? value.slice(0, -1) : value;
    for (const line of body.split('\n')) lines.push({ lead: line ? indent : '', key: '', value: line, path });
    return;
  }
  const text =
    typeof value === 'string' ? quoted(value)
    : Array.isArray(value) ? '[]'
    : value !== null && typeof value === 'object' ? '{}'
    : String(value);
  lines.push({ lead, key, value: text, path });
}

/** @param {string} text */
function isBlock(text) {
  return text.includes('\n') && text.trim() !== '' && !/^[ \n]/.test(text) && !UNPRINTABLE.test(text) && !/ $/m.test(text);
}

/** @param {string} text */
function quoted(text) {
  const plain =
    PLAIN.test(text) && !WORDS.test(text) && !DATE.test(text) && !/^-(?: |$)|^---|^\.\.\.|^<</.test(text)
    && !text.includes(': ') && !text.includes(' #') && !/[: ]$/.test(text)
    && (ADDRESS.test(text) || (!NUMBERS.test(text) && Number.isNaN(Number(text.replaceAll('_', '')))));
  return plain ? text : JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
