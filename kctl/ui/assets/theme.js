// Light or dark: as the system has it, until somebody says otherwise.

const KEY = 'theme';
const THEMES = ['auto', 'light', 'dark'];

/** @returns {string} */
export function theme() {
  const kept = localStorage.getItem(KEY);
  return kept && THEMES.includes(kept) ? kept : 'auto';
}

/** @param {string} name */
export function setTheme(name) {
  localStorage.setItem(KEY, name);
  applyTheme();
}

export function nextTheme() {
  const name = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
  setTheme(name);
  return name;
}

export function applyTheme() {
  document.documentElement.dataset.theme = theme();
}
