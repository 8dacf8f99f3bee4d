"use strict";
(() => {
  const themes = ["auto", "light", "dark"];
  const themeButton = document.getElementById("theme");
  const setTheme = (name) => {
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    themeButton.textContent = "Theme: " + name;
    try { localStorage.setItem("recombine-theme", name); } catch { /* private mode */ }
  };
  let theme = "auto";
  try { theme = localStorage.getItem("recombine-theme") || "auto"; } catch { /* private mode */ }
  setTheme(themes.includes(theme) ? theme : "auto");
  themeButton.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    setTheme(theme);
  });
})();
