"use strict";

// What the pages do besides: times of the viewer, keys, and copying. Without this script, they show the same in UTC.

// The address of a page can name a time zone, in which the server has written all times.
const zone = document.querySelector("[data-zone]");
const fixedZone = zone.dataset.zone;
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (!fixedZone && here !== "UTC") {
  zone.textContent = `Times are in ${here}.`;
}

// localTime writes a time where the viewer is as Swedes do: 2026-05-02 18:30:00.
const localTime = (at) => at.toLocaleString("sv");

// ago says how long ago a time was, in one unit, or names its day if that is longer than a week.
function ago(at) {
  const seconds = Math.round((at - Date.now()) / 1000);
  if (Math.abs(seconds) > 7 * 86400) {
    const year = at.getFullYear() === new Date().getFullYear() ? undefined : "numeric";
    return at.toLocaleString("en", { year, month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: fixedZone || undefined });
  }
  const units = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? units[3];
  return new Intl.RelativeTimeFormat("en", { style: "narrow" }).format(Math.trunc(seconds / size), unit).replace(/(?<=\d)(?=[a-z])/, " ").replace(/ m\b/, " min");
}

// localTimes writes times as short as people say them. All of a time, where the viewer is and in UTC, is what the pointer shows.
function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    time.dataset.local ??= fixedZone ? time.textContent : localTime(at);
    time.title = `${time.dataset.local}, ${time.dateTime}`;
    time.textContent = time.dataset.whole ? time.dataset.local : ago(at);
  }
}

// copyButtons gives texts that can be copied a button, where the browser lets pages write to the clipboard.
function copyButtons(root) {
  for (const text of navigator.clipboard ? root.querySelectorAll("pre, [data-copy]") : []) {
    if (!text.previousElementSibling?.matches(".copy")) {
      text.insertAdjacentHTML("beforebegin", '<button type="button" class="copy">Copy</button>');
    }
  }
}

document.addEventListener("click", async ({ target }) => {
  if (target.matches(".copy")) {
    const text = target.nextElementSibling;
    await navigator.clipboard.writeText(text.textContent);
    target.textContent = "Copied";
  }
});

setInterval(localTimes, 30000, document);
for (const add of [localTimes, copyButtons]) {
  add(document);
  document.addEventListener("replaced", ({ target }) => add(target));
}

// step moves the focus through the links that begin the rows of the list or of the tree.
function step(by) {
  const rows = [...document.querySelectorAll("[data-rows] :is(th[scope=row] > a:first-of-type, .row .what > a, h2 > a)")].filter((a) => a.checkVisibility());
  const at = rows.indexOf(rows.find((a) => a === document.activeElement) ?? rows.find((a) => a.ariaCurrent));
  rows[Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
}

const keys = {
  "/": () => document.querySelector("[data-search]")?.focus(),
  j: () => step(1),
  k: () => step(-1),
  e: () => document.querySelector("[data-key=e]")?.click(),
  "?": () => document.querySelector("[data-keys]").showModal(),
};

addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select");
  if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey && keys[event.key]) {
    event.preventDefault();
    keys[event.key]();
  }
});
