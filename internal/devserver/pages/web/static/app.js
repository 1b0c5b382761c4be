"use strict";

// Pages are complete without this script. It loads parts of them again: what changes, what takes long, and what was folded.

// load fetches a page. The policy of the page allows those of this server only.
async function load(address, headers) {
  const response = await fetch(address, { headers });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return { status: response.status, etag: response.headers.get("ETag") ?? "", page };
}

// sent has the HTML of each part as the server has sent it: more is added to what is shown.
const sent = new Map([...document.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part.innerHTML]));

// put shows those parts of a loaded page that have changed. They are escaped, and the policy of the page lets nothing in them run.
function put(page) {
  for (const fresh of page.querySelectorAll("[data-part]")) {
    const name = fresh.dataset.part;
    const part = document.querySelector(`[data-part="${name}"]`);
    if (part && sent.get(name) !== fresh.innerHTML) {
      sent.set(name, fresh.innerHTML);
      replace(part, fresh);
    }
  }
}

// replace keeps the focus, and what was unfolded or scrolled.
function replace(part, fresh) {
  const active = part.contains(document.activeElement) ? document.activeElement : null;
  const focused = active?.matches("summary")
    ? `#${CSS.escape(active.parentElement.id)} > summary`
    : `[href="${CSS.escape(active?.getAttribute("href") ?? "")}"]`;
  const before = new Map([...part.querySelectorAll("[id]")].map(({ id, open, scrollTop }) => [id, { open, scrollTop }]));
  part.replaceChildren(...fresh.childNodes);
  part.querySelectorAll("[id]").forEach((element) => Object.assign(element, before.get(element.id)));
  if (active) {
    part.querySelector(focused)?.focus({ preventScroll: true });
  }
  part.dispatchEvent(new CustomEvent("replaced", { bubbles: true }));
}

// What changes is loaded again until it no longer does, while somebody looks at it. Reloading the page shows the same.
const final = {
  401: "The server no longer accepts the key: it may have been restarted with another one. Reload the page, and enter the key that the server has printed as the password, with any user name.",
  404: "There is nothing at this address anymore. What is shown is out of date.",
};

async function follow(live) {
  const reload = document.querySelector("[data-live-reload]");
  reload.hidden = true;
  let tag = "";
  for (let took = 0; live.hasAttribute("data-live"); ) {
    do {
      await new Promise((resolve) => setTimeout(resolve, Math.max(2000, 10 * took)));
    } while (document.hidden);
    const began = performance.now();
    const { search } = location;
    try {
      const { status, etag, page } = await load(location.href, { "X-Follow": "follow", "If-None-Match": tag });
      const problem = [200, 304].includes(status) ? "" : final[status] ?? "The server sends no updates now, trying again. What is shown may be out of date.";
      const changed = status === 200 && search === location.search; // Otherwise, another run was selected meanwhile.
      tell(live, problem || page.querySelector("[data-announcement]")?.dataset.announcement, problem !== "");
      if (changed) {
        tag = etag;
        put(page);
      }
      live.toggleAttribute("data-live", changed ? page.querySelector("[data-live]") !== null : !(status in final));
    } catch {
      tell(live, "Connection lost, trying again. What is shown may be out of date.", true);
    }
    took = performance.now() - began;
  }
  reload.hidden = false;
}

// tell changes what screen readers announce, if that is new, and marks what may be out of date.
function tell(live, text, stale) {
  const status = document.querySelector("[data-live-status]");
  const news = text || (live.hasAttribute("data-stale") ? "This part of the page keeps itself up to date." : status.textContent);
  if (status.textContent !== news) {
    status.textContent = news;
  }
  live.toggleAttribute("data-stale", stale);
  status.parentElement.classList.toggle("stale", stale);
}

document.querySelectorAll("[data-live]").forEach(follow);

// What was left out is loaded when it is unfolded, and figures at once. Without this script, or if that fails, a link leads to it.
async function fill(element) {
  const place = element.querySelector("[data-loaded]");
  element.setAttribute("aria-busy", "true");
  try {
    const { page } = await load(element.dataset.load);
    place.replaceWith(...(page.querySelector("[data-loaded]") ?? page.querySelector("#main")).childNodes);
    delete element.dataset.load;
    element.dispatchEvent(new CustomEvent("replaced", { bubbles: true }));
  } catch {
    // The link remains.
  }
  element.removeAttribute("aria-busy");
}

document.addEventListener("toggle", ({ target }) => target.open && target.dataset.load && fill(target), true);
document.querySelectorAll("[data-load]:not(details)").forEach(fill);

// Times are those of the viewer (without this script, of UTC), unless the address names a time zone: the server has then written all in that.
const zone = document.querySelector("[data-zone]");
const fixedZone = zone.dataset.zone;
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (!fixedZone && here !== "UTC") {
  zone.textContent = `Times are in ${here}.`;
}

// localTime writes a time where the viewer is as Swedes do: 2026-05-02 18:30:00.
const localTime = (at) => at.toLocaleString("sv");

// Formats take longer to make than to use.
const relative = new Intl.RelativeTimeFormat("en", { style: "narrow" });
const days = {};

// ago says how long ago a time was, in one unit, or names its day if that is longer than a week.
function ago(at) {
  const seconds = Math.round((at - Date.now()) / 1000);
  if (Math.abs(seconds) > 7 * 86400) {
    const year = at.getFullYear() === new Date().getFullYear() ? undefined : "numeric";
    days[year] ??= new Intl.DateTimeFormat("en", { year, month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: fixedZone || undefined });
    return days[year].format(at);
  }
  const [unit, size] = [["day", 86400], ["hour", 3600], ["minute", 60]].find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return relative.format(Math.trunc(seconds / size), unit).replace(/(?<=\d)(?=[a-z])/, " ").replace(/ m\b/, " min");
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
    await navigator.clipboard.writeText(target.nextElementSibling.textContent);
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

// Ranges such as "yesterday" mean the day of the viewer, unless the address names another time zone.
for (const link of document.querySelectorAll("a[data-by-day]")) {
  const url = new URL(link.href);
  url.searchParams.set("tz", fixedZone || here);
  link.href = url;
}

// What the form of a range shows is in UTC: it shows the same times here, unless the address has times without a zone.
const zoneField = document.querySelector("[data-tz]");
if (zoneField?.value === "" && !new URLSearchParams(location.search).has("from")) {
  for (const field of zoneField.form.querySelectorAll("[type=datetime-local]")) {
    field.value = localTime(new Date(field.value + "Z")).replace(" ", "T");
  }
  zoneField.value = here;
}

// The search is completed term by term: what is already written stays in front of each suggestion.
document.querySelector("input[list=chips]")?.addEventListener("input", ({ target }) => {
  for (const option of target.list.options) {
    option.value = target.value.slice(0, target.value.lastIndexOf(" ") + 1) + option.dataset.chip;
  }
});

// The marks and the points of charts are in the time zone of the other times.
const dates = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
function localMarks(root) {
  for (const mark of fixedZone ? [] : root.querySelectorAll(".chart [data-at]")) {
    const at = new Date(mark.dataset.at);
    mark.textContent = mark.textContent.replace(/^[A-Z]\w+ \d+/, dates.format(at)).replace(/\d\d:\d\d/, localTime(at).slice(11, 16)).replace("UTC", here);
  }
}

localMarks(document);
document.addEventListener("replaced", ({ target }) => localMarks(target));

// The pointer draws a range across a chart, from one of its points to another, or across the map of a trace, in hundredths of its time.
let drawn = null;

function placeOf(area, event) {
  if (area.matches(".chart")) {
    return [...area.querySelectorAll("a")].indexOf(event.target.closest("a"));
  }
  const box = area.getBoundingClientRect();
  return Math.max(0, Math.min(100, Math.round((100 * (event.clientX - box.left)) / box.width)));
}

function rangeOf(area, from, to) {
  if (area.matches(".chart")) {
    const [url, end] = [from, to].map((i) => new URL(area.querySelectorAll("a")[i].getAttribute("href"), location.href));
    url.searchParams.set("to", end.searchParams.get("to"));
    return url;
  }
  const url = new URL(location.href);
  url.hash = "tree";
  url.searchParams.set("zoom", [from, to].map((place) => Math.round((place * area.parentElement.dataset.length) / 100)).join("-"));
  return url;
}

function draw(event) {
  const area = event.target.closest?.(".chart, .map ul");
  const place = area ? placeOf(area, event) : -1;
  if (event.type === "pointerdown") {
    drawn = event.button === 0 && place >= 0 ? { area, place } : null;
  }
  if (!drawn) {
    return;
  }
  const from = drawn.area === area ? Math.min(drawn.place, place) : -1;
  const to = Math.max(drawn.place, place);
  drawn.area.querySelectorAll(".chart a").forEach((point, i) => point.classList.toggle("drawn", from >= 0 && i >= from && i <= to));
  if (event.type === "pointerup") {
    drawn = null;
    if (from >= 0 && from < to) {
      area.addEventListener("click", (click) => click.preventDefault(), { once: true });
      location.assign(rangeOf(area, from, to));
    }
  }
}

["pointerdown", "pointermove", "pointerup"].forEach((type) => document.addEventListener(type, draw));
document.addEventListener("dragstart", (event) => drawn && event.preventDefault());
