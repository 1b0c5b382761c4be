"use strict";

// Live updates. The server sends a part of the page again whenever it changes, until it can no longer change. Without
// this script, or when the connection is lost for good, reloading the page shows the same.
const live = document.querySelector("[data-events-url]");
if (live) {
  follow(live.dataset.eventsUrl, live.dataset.liveId);
}

// follow keeps the page up to date. A browser has few connections for a server, so one tab has the connection for all, and
// another one takes over when that is closed. Where tabs can't talk to each other, each loads its page again now and then.
function follow(path, id) {
  const url = new URL(path, location.href);
  if (url.origin !== location.origin) {
    return;
  }
  const view = liveView(id);
  if (!navigator.locks || !window.BroadcastChannel) {
    poll(view);
    return;
  }
  const tabs = new BroadcastChannel(url.pathname);
  const hub = newHub(url, id, view, tabs);
  const leave = new AbortController();
  let leaving = () => {};

  tabs.addEventListener("message", ({ data }) => {
    hub.hear(data);
    view.hear(data);
    if (data.who && !view.ended) {
      tabs.postMessage({ want: id });
    }
  });
  tabs.postMessage({ want: id });
  navigator.locks
    .request(url.pathname, { signal: leave.signal }, () => {
      hub.lead();
      return new Promise((resolve) => {
        leaving = resolve;
      });
    })
    .catch(() => {}); // The page was left before its turn came.
  addEventListener("pagehide", () => {
    hub.stop();
    leave.abort();
    leaving();
    tabs.postMessage({ gone: id });
    tabs.close();
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) {
      location.reload();
    }
  });
}

// newHub has the connection to the server once it leads, and tells the other tabs what comes.
function newHub(url, own, view, tabs) {
  const wanted = new Set();
  let leads = false;
  let source = null;
  let soon = 0;
  const afterRefusal = 10000;

  function tell(news) {
    view.hear(news);
    tabs.postMessage(news);
  }

  function connect() {
    source?.close();
    source = null;
    if (wanted.size === 0) {
      return;
    }
    const all = new URL(url);
    for (const id of wanted) {
      all.searchParams.append("part", id);
    }
    source = new EventSource(all);
    source.addEventListener("open", () => tell({ open: true }));
    source.addEventListener("error", ({ target }) => {
      // A browser tries again by itself, unless the server has refused it, for example because too many browsers follow pages.
      if (target.readyState === EventSource.CLOSED) {
        connectIn(afterRefusal);
        askWhy(all);
      } else {
        tell({ trying: true });
      }
    });
    source.addEventListener("end", ({ data }) => {
      wanted.delete(data);
      if (wanted.size === 0) {
        source.close();
      }
      tell({ end: data });
    });
    for (const id of wanted) {
      source.addEventListener(id, ({ data }) => tell({ id, html: data }));
    }
  }

  // An event source doesn't say why it was refused. After a restart, it is often because the server has another key.
  async function askWhy(all) {
    let status = 0;
    try {
      const response = await fetch(all);
      response.body?.cancel();
      status = response.status;
    } catch {
      // The server is gone again.
    }
    tell(status === 401 ? { login: true } : { refused: true });
  }

  function connectIn(time) {
    clearTimeout(soon);
    soon = setTimeout(connect, time);
  }

  // All tabs of a window open and close at the same time, so they are connected together.
  function connectSoon() {
    connectIn(50);
  }

  function ask() {
    wanted.clear();
    if (!view.ended) {
      wanted.add(own);
    }
    tabs.postMessage({ who: true });
    connectSoon();
  }

  return {
    lead() {
      leads = true;
      ask();
    },
    hear(news) {
      if (leads && news.want && !wanted.has(news.want)) {
        wanted.add(news.want);
        connectSoon();
      } else if (leads && news.want) {
        connectSoon(); // Another tab shows the same, and has not got it yet.
      } else if (leads && news.gone) {
        ask();
      }
    },
    stop() {
      clearTimeout(soon);
      source?.close();
      leads = false;
    },
  };
}

// poll loads the page again until it has no live parts.
async function poll(view) {
  while (!view.ended) {
    await new Promise((resolve) => {
      setTimeout(resolve, 2000);
    });
    try {
      const response = await fetch(location.href);
      if (response.status === 503) {
        view.hear({ refused: true });
        continue;
      }
      if (!response.ok) {
        view.hear(response.status === 401 ? { login: true } : { lost: true });
        return;
      }
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const fresh = page.querySelector("[data-live-id]");
      if (!fresh) {
        location.reload();
        return;
      }
      view.hear({ open: true });
      view.hear({ id: view.id, html: fresh.innerHTML });
      if (!fresh.dataset.eventsUrl) {
        view.hear({ end: view.id });
      }
    } catch {
      view.hear({ trying: true });
    }
  }
}

// liveView is the part of the page that moves.
function liveView(id) {
  const part = document.querySelector("[data-live-id]");
  const status = document.querySelector("[data-live-status]");
  const reload = document.querySelector("[data-live-reload]");
  let last = "";
  return {
    id,
    ended: false,
    hear(news) {
      if (this.ended) {
        return;
      }
      if (news.open && (!reload.hidden || part.dataset.stale)) {
        reload.hidden = true;
        delete part.dataset.stale;
        say(status, "This part of the page keeps itself up to date.");
      } else if (news.trying) {
        part.dataset.stale = "stale";
        say(status, "Connection lost, trying again. What is shown may be out of date.");
      } else if (news.refused) {
        part.dataset.stale = "stale";
        say(status, "The server sends no updates now, trying again. What is shown may be out of date.");
      } else if (news.login) {
        reload.hidden = false;
        part.dataset.stale = "stale";
        say(
          status,
          "The server no longer accepts the key: it may have been restarted with another one. Reload the page, and enter the key that the server has printed as the password, with any user name.",
        );
      } else if (news.lost) {
        reload.hidden = false;
        part.dataset.stale = "stale";
        say(status, "The server sends no more updates.");
      } else if (news.end === id) {
        this.ended = true;
        reload.hidden = false;
      } else if (news.id === id && news.html !== last) {
        last = news.html;
        replace(part, news.html);
        part.dispatchEvent(new CustomEvent("replaced", { bubbles: true }));
        const announced = part.querySelector("[data-announcement]");
        if (announced) {
          say(status, announced.dataset.announcement);
        }
      }
    },
  };
}

// say changes what screen readers announce, and only when there is something new.
function say(status, text) {
  if (status.textContent !== text) {
    status.textContent = text;
  }
}

// replace keeps the focus, and what was unfolded or scrolled. What the server sends is escaped, and the policy of the page lets
// nothing in it run.
function replace(live, html) {
  const active = live.contains(document.activeElement) ? document.activeElement : null;
  const href = active?.getAttribute("href");
  const folder = active?.matches("summary") ? active.parentElement.id : "";
  const before = new Map([...live.querySelectorAll("[id]")].map((e) => [e.id, { open: e.open, scrolled: e.scrollTop }]));
  const template = document.createElement("template");
  template.innerHTML = html;
  live.replaceChildren(template.content);
  for (const element of live.querySelectorAll("[id]")) {
    const was = before.get(element.id);
    if (was?.open !== undefined) {
      element.open = was.open;
    }
    if (was?.scrolled) {
      element.scrollTop = was.scrolled;
    }
    if (folder && element.id === folder) {
      element.querySelector("summary")?.focus();
    }
  }
  if (href) {
    [...live.querySelectorAll("a[href]")].find((link) => link.getAttribute("href") === href)?.focus();
  }
}
