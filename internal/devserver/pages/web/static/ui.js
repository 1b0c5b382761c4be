"use strict";

// What the pages do besides: times of the viewer, keys, and copying. Without this script, they show the same in UTC.

const two = (n) => String(n).padStart(2, "0");

// The address of a page can name a time zone, in which the server has written all times.
const fixedZone = document.querySelector("[data-zone]")?.dataset.zone;

// day is the number of a day where the viewer is, or in the time zone of the page.
function day(at) {
  return Date.parse(new Intl.DateTimeFormat("sv-SE", { timeZone: fixedZone || undefined }).format(at)) / 86400000;
}

// ago says how long ago a time was, in one unit, or names its day if that is longer than a week. Days are those of the calendar:
// "yesterday" is never the day before.
function ago(at) {
  const seconds = Math.round((at - Date.now()) / 1000);
  if (Math.abs(seconds) > 7 * 86400) {
    const parts = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: fixedZone || undefined };
    return new Intl.DateTimeFormat("en", at.getFullYear() === new Date().getFullYear() ? parts : { ...parts, year: "numeric" }).format(at);
  }
  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) || units[3];
  const past = unit === "day" ? day(at) - day(new Date()) : Math.trunc(seconds / size);
  return new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" }).format(past, unit);
}

// localTimes writes times as short as people say them. All of a time, where the viewer is and in UTC, is what the pointer shows.
function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime()) || time.dataset.local) {
      continue;
    }
    time.dataset.local = "local";
    const local = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
    time.title = `${fixedZone ? time.textContent : local}, ${time.dateTime}`;
    time.textContent = ago(at);
  }
}

localTimes(document);
document.addEventListener("replaced", ({ target }) => localTimes(target));
const zone = document.querySelector("[data-zone]");
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && !fixedZone && here !== "UTC") {
  zone.textContent = `Times are in ${here}; point at one to see it in UTC.`;
}

// copyButtons gives texts that can be copied a button, where the browser lets pages write to the clipboard.
function copyButtons(root) {
  for (const text of navigator.clipboard ? root.querySelectorAll("pre.json, pre.failure, [data-copy], pre.text") : []) {
    if (text.previousElementSibling?.matches(".copy")) {
      continue;
    }
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text.matches("code") ? text.title : text.textContent); // Of an ID, the page shows the beginning.
      button.textContent = "Copied";
    });
    text.before(button);
  }
}

copyButtons(document);
document.addEventListener("replaced", ({ target }) => copyButtons(target));

// rows are what j and k go through: the links that begin the rows of the list or of the tree.
function rows() {
  const list = document.querySelector("[data-rows]");
  return list ? [...list.querySelectorAll("th[scope=row] > a, .row .what > a, h2 > a")].filter((a) => a.offsetParent !== null) : [];
}

function step(by) {
  const all = rows();
  if (all.length === 0) {
    return;
  }
  let at = all.indexOf(document.activeElement);
  if (at < 0) {
    at = all.findIndex((a) => a.getAttribute("aria-current"));
  }
  all[Math.max(0, Math.min(all.length - 1, at + by))].focus();
}

const help = document.querySelector("[data-keys]");
const keys = {
  "/": () => document.querySelector("[data-search]")?.focus(),
  j: () => step(1),
  k: () => step(-1),
  e: () => document.querySelector("[data-key=e]")?.click(),
  "?": () => help?.showModal(),
};

addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) {
    return;
  }
  event.preventDefault();
  keys[event.key]();
});
