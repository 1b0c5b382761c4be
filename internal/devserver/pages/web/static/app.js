"use strict";

// Pages are complete without scripts. This one loads parts of them again: what changes, what takes long, and what was folded.

// load fetches a page. The policy of the page allows those of this server only.
async function load(address, headers) {
  const response = await fetch(address, { headers });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return { status: response.status, etag: response.headers.get("ETag") ?? "", page };
}

// sent has the HTML of each part as the server has sent it: other scripts add to what is shown.
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
