"use strict";
(() => {
  // A slice is a body of two rows, which stay together.
  const unitsOf = (table) => (table.classList.contains("slices") ? [...table.tBodies] : [...table.tBodies[0].rows]);

  const keyOf = (unit, column) => {
    const cell = (unit.rows ? unit.rows[0] : unit).cells[column];
    const key = cell ? cell.dataset.sort : undefined;
    return key === undefined || key === "" ? null : key;
  };

  const compare = (a, b, kind) => (kind === "number" ? Math.sign(a - b) || 0 : a.localeCompare(b));

  // What has no value stays below, whichever way the others run.
  const order = (rows, column, kind, sign) =>
    rows
      .map((row) => ({ row, key: keyOf(row, column) }))
      .sort((a, b) => {
        if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
        return sign * compare(a.key, b.key, kind);
      })
      .map((entry) => entry.row);

  const sortBy = (table, header) => {
    const before = header.getAttribute("aria-sort");
    const other = { ascending: "descending", descending: "ascending" };
    const direction = before ? other[before] : header.dataset.first;
    table.querySelectorAll("th[aria-sort]").forEach((each) => each.removeAttribute("aria-sort"));
    header.setAttribute("aria-sort", direction);
    const units = unitsOf(table);
    const sign = direction === "ascending" ? 1 : -1;
    units[0].parentElement.append(...order(units, header.cellIndex, header.dataset.sortAs, sign));
  };

  document.querySelectorAll("table.sortable").forEach((table) => {
    table.querySelectorAll("th[data-sort-as]").forEach((header) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      button.addEventListener("click", () => sortBy(table, header));
      header.append(button);
    });
  });

  const folded = () => [...document.querySelectorAll("details.more:not([open]), details.inline:not([open])")];
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = folded();
    opened.forEach((each) => (each.open = true));
  });
  addEventListener("afterprint", () => opened.forEach((each) => (each.open = false)));

  // The side bar says where the reader is: in the last section that begins above the middle of the screen.
  const links = [...document.querySelectorAll("nav a")];
  const places = links.map((link) => document.getElementById(link.hash.slice(1)));
  const locate = () => {
    const above = places.map((place) => place.getBoundingClientRect().top < innerHeight / 2).lastIndexOf(true);
    links.forEach((link, index) => link.classList.toggle("here", index === Math.max(above, 0)));
  };
  addEventListener("scroll", locate, { passive: true });
  locate();

  document.documentElement.classList.add("scripts");

  // Only what is wider than the screen says that it can be scrolled.
  const measure = () =>
    document.querySelectorAll(".scroll").forEach((each) => each.classList.toggle("wider", each.scrollWidth > each.clientWidth + 1));
  addEventListener("resize", measure, { passive: true });
  document.addEventListener("toggle", measure, true);
  measure();
})();
{% include "slices.js" %}
{% include "usual.js" %}
