"use strict";

// Ranges such as "yesterday" mean the day of the viewer, unless the address names another time zone.
for (const link of document.querySelectorAll("a[data-by-day]")) {
  const url = new URL(link.href);
  if (!url.searchParams.has("tz")) {
    url.searchParams.set("tz", here);
    link.href = url.pathname + url.search + url.hash;
  }
}
const zoneField = document.querySelector("[data-tz]");
if (zoneField && zoneField.value === "" && !new URL(location.href).searchParams.has("from")) {
  const form = zoneField.form;
  // What the form shows is in UTC: it shows the same times here.
  for (const field of [form.elements.from, form.elements.to]) {
    const at = new Date(field.value + "Z");
    if (!Number.isNaN(at.getTime())) {
      field.value =
        `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
    }
  }
  zoneField.value = here;
}

// The search is completed term by term: what is already written stays in front of each suggestion.
const searchField = document.querySelector("input[list=chips]");
if (searchField) {
  const options = [...document.querySelectorAll("#chips option")];
  searchField.addEventListener("input", () => {
    const head = searchField.value.slice(0, searchField.value.lastIndexOf(" ") + 1);
    for (const option of options) {
      option.value = head + option.dataset.chip;
    }
  });
}

// The marks and the points of charts are in the time zone of the other times.
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
function localMarks(root) {
  for (const mark of fixedZone ? [] : root.querySelectorAll(".chart [data-at]")) {
    const at = new Date(mark.dataset.at);
    const day = `${months[at.getMonth()]} ${at.getDate()}`;
    const hour = `${two(at.getHours())}:${two(at.getMinutes())}`;
    const [said, ...values] = mark.textContent.split(", ");
    if (mark.matches("title")) {
      mark.textContent = [`${day} ${hour} ${here}`, ...values].join(", ");
    } else {
      mark.textContent = said.includes(":") ? hour : day;
    }
  }
}

// Whoever draws across a chart from one point to another gets the range between them.
function drawRanges(root) {
  for (const chart of root.querySelectorAll(".chart")) {
    const points = [...chart.querySelectorAll("a")];
    let first = -1;
    const pointOf = (event) => points.indexOf(event.target.closest("a"));
    const mark = (last) => {
      points.forEach((point, i) => {
        point.classList.toggle("drawn", first >= 0 && i >= Math.min(first, last) && i <= Math.max(first, last));
      });
    };
    chart.addEventListener("dragstart", (event) => event.preventDefault());
    chart.addEventListener("pointerdown", (event) => {
      first = event.button === 0 ? pointOf(event) : -1;
    });
    chart.addEventListener("pointermove", (event) => {
      if (first >= 0 && pointOf(event) >= 0) {
        mark(pointOf(event));
      }
    });
    chart.addEventListener("pointerup", (event) => {
      const last = pointOf(event);
      if (first >= 0 && last >= 0 && first !== last) {
        const url = new URL(points[Math.min(first, last)].getAttribute("href"), location.href);
        url.searchParams.set("to", new URL(points[Math.max(first, last)].getAttribute("href"), location.href).searchParams.get("to"));
        location.assign(url);
      }
      first = -1;
    });
    chart.addEventListener("pointerleave", () => {
      first = -1;
      mark(-1);
    });
  }
}

// The figures of a search come by a request of their own, which ends when the page is left. Without it, a link leads to them.
async function loadFigures(part) {
  const leave = new AbortController();
  addEventListener("pagehide", () => leave.abort());
  addEventListener("pageshow", (event) => event.persisted && location.reload());
  part.querySelector("[role=status]").prepend("Adding up these runs… ");
  try {
    const response = await fetch(part.dataset.figuresUrl, { signal: leave.signal });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    part.replaceChildren(...page.querySelector(response.ok ? "#figures" : "#main").childNodes);
    delete part.dataset.figuresUrl;
    part.dispatchEvent(new CustomEvent("replaced", { bubbles: true }));
  } catch {
    part.querySelector("[role=status]").firstChild.remove(); // The link is still there.
  }
}

for (const show of [localMarks, drawRanges]) {
  show(document);
  document.addEventListener("replaced", ({ target }) => show(target));
}
const figures = document.querySelector("[data-figures-url]");
if (figures) {
  loadFigures(figures);
}
