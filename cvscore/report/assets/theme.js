"use strict";
// Light or dark: as the system has it, until the button says otherwise.

const THEME_KEY = "cvscore-theme";

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function setUpTheme(button) {
  const show = () => {
    button.textContent = isDark() ? "☀ Light" : "☾ Dark";
    button.setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
  };
  try { // a page that was opened from a disk may have no storage
    const kept = localStorage.getItem(THEME_KEY);
    if (kept === "dark" || kept === "light") document.documentElement.dataset.theme = kept;
  } catch { /* then it is not remembered */ }
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    try { localStorage.setItem(THEME_KEY, theme); } catch { /* not remembered */ }
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
}

function readData() {
  return JSON.parse(document.getElementById("data").textContent);
}

function byId(id) {
  return document.getElementById(id);
}
