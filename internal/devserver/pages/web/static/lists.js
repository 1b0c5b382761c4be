"use strict";

// Ranges such as "yesterday" mean the day of the viewer, unless the address names another time zone.
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
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
for (const mark of fixedZone ? [] : document.querySelectorAll(".chart [data-at]")) {
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
