// Questions and lists in front of the page. The browser's own dialog keeps the keyboard in it.

import { h } from './dom.js';

/**
 * @param {string} title
 * @param {import('./dom.js').Child[]} content
 * @param {{class?: string, onClose?: () => void}} [options]
 * @returns {HTMLDialogElement}
 */
export function openDialog(title, content, options = {}) {
  const dialog = /** @type {HTMLDialogElement} */ (h('dialog', { class: options.class, 'aria-label': title }, h('h2', null, title), ...content));
  dialog.addEventListener('close', () => {
    dialog.remove();
    options.onClose?.();
  });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Something went wrong, or well, for a moment. @param {string} text @param {'good' | 'bad'} tone */
export function toast(text, tone) {
  const old = document.querySelector('.toast');
  old?.remove();
  const shown = h('div.toast', { role: tone === 'bad' ? 'alert' : 'status', class: tone }, text);
  document.body.append(shown);
  setTimeout(() => shown.remove(), tone === 'bad' ? 9000 : 3500);
}
