"use strict";

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
function localMarks(root) {
  for (const mark of fixedZone ? [] : root.querySelectorAll(".chart [data-at]")) {
    const at = new Date(mark.dataset.at);
    const day = at.toLocaleDateString("en", { month: "short", day: "numeric" });
    mark.textContent = mark.textContent.replace(/^[A-Z]\w+ \d+/, day).replace(/\d\d:\d\d/, localTime(at).slice(11, 16)).replace("UTC", here);
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
