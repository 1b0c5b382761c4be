"use strict";

// Live updates. The server sends a part of the page anew whenever it changes. Without this script, or when the connection
// is lost for good, reloading the page shows the same.
for (const live of document.querySelectorAll("[data-events-url]")) {
  follow(live);
}

function follow(live) {
  const url = new URL(live.dataset.eventsUrl, location.href);
  if (url.origin !== location.origin) {
    return;
  }
  const status = document.querySelector("[data-live-status]");
  const reload = document.querySelector("[data-live-reload]");
  const source = new EventSource(url);
  let last = "";

  source.addEventListener("open", () => {
    reload.hidden = true;
    say(status, "This part of the page keeps itself up to date.");
  });
  source.addEventListener("message", (event) => {
    if (event.data === last) {
      return;
    }
    last = event.data;
    replace(live, event.data);
    const part = live.querySelector("[data-announcement]");
    if (part) {
      say(status, part.dataset.announcement);
    }
  });
  source.addEventListener("end", () => source.close());
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) {
      reload.hidden = false;
      say(status, "The server sends no more updates.");
    }
  });
  addEventListener("pagehide", () => source.close());
}

// say changes what screen readers announce, and only when there is something new.
function say(status, text) {
  if (status.textContent !== text) {
    status.textContent = text;
  }
}

// replace keeps the focus on the link that had it. What the server sends is escaped, and the policy of the page lets
// nothing in it run.
function replace(live, html) {
  const focused = live.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const template = document.createElement("template");
  template.innerHTML = html;
  live.replaceChildren(template.content);
  if (focused !== null) {
    for (const link of live.querySelectorAll("a[href]")) {
      if (link.getAttribute("href") === focused) {
        link.focus();
        break;
      }
    }
  }
}
