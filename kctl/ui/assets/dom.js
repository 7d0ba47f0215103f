// Elements, built from texts and never from markup: what comes from an object can't become a part of the page's code.

/** @typedef {Node | string | number | null | undefined | false} One */
/** @typedef {One | One[] | One[][] | One[][][] | (One | One[] | (One | One[])[])[]} Child  what is null or false is left out */

/**
 * An element. `on` has listeners; `style` custom properties and others; everything else is an attribute.
 * @param {string} tag  with classes: `div.card`
 * @param {Record<string, any> | null} [attributes]
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name || 'div');
  if (classes.length) element.className = classes.join(' ');
  decorate(element, attributes);
  append(element, children);
  return element;
}

/**
 * The same for SVG.
 * @param {string} tag
 * @param {Record<string, any> | null} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  decorate(element, attributes);
  append(element, children);
  return element;
}

/**
 * @param {HTMLElement | SVGElement} element
 * @param {Record<string, any> | null} [attributes]
 */
function decorate(element, attributes) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === 'on') for (const [type, listener] of Object.entries(value)) element.addEventListener(type, /** @type {EventListener} */ (listener));
    else if (key === 'style') for (const [property, text] of Object.entries(value)) element.style.setProperty(property, String(text));
    else if (key === 'class') element.setAttribute('class', `${element.getAttribute('class') ?? ''} ${value}`.trim());
    else if (key === 'value' && 'value' in element) /** @type {any} */ (element).value = value;
    else element.setAttribute(key, value === true ? '' : String(value));
  }
}

/**
 * @param {Element} element
 * @param {Child[]} children
 */
export function append(element, children) {
  for (const child of /** @type {One[]} */ (children.flat(Infinity))) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/**
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/**
 * A button; its label is what a screen reader says.
 * @param {string} label
 * @param {() => void} act
 * @param {Record<string, any>} [attributes]
 */
export function button(label, act, attributes = {}) {
  const made = h('button', { type: 'button', ...attributes, on: { click: act } }, label);
  return /** @type {HTMLButtonElement} */ (made);
}

/** For those who don't see it. @param {string} text */
export function announce(text) {
  const live = document.getElementById('live');
  if (live) live.textContent = text;
}
