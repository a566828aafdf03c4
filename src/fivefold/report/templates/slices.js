
(() => {
  // A condition becomes a button that opens its rows, which are made only then: a page has thousands of them.
  const make = (rows) => {
    const kept = rows.querySelector("noscript");
    if (!kept) return;
    rows.cells[0].innerHTML = kept.textContent;
    rows.querySelector("details").open = true;
  };

  const unfold = (body) => {
    const [first, rows] = body.rows;
    const place = first.querySelector(".where");
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-controls", rows.id);
    button.append(...place.childNodes);
    place.append(button);
    button.addEventListener("click", () => {
      make(rows);
      const open = rows.classList.toggle("open");
      button.setAttribute("aria-expanded", String(open));
    });
  };

  const sift = (listing) => {
    const bodies = [...listing.querySelectorAll("table.slices > tbody")];
    const told = listing.querySelector("output");
    const text = listing.querySelector("[data-sieve=text]");
    const sign = listing.querySelector("[data-sieve=sign]");
    const before = listing.querySelector("[data-sieve=before]");
    const whole = told.textContent;
    // a search looks everywhere, also among those that are folded at first
    const chosen = (body, words) => words.length > 0 || "worst" in body.dataset;
    const apply = () => {
      const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
      bodies.forEach((body) => {
        const where = body.querySelector(".where").dataset.sort.toLowerCase();
        const wanted =
          words.every((word) => where.includes(word)) &&
          (!sign.value || sign.value === body.dataset.sign || (sign.value === "worst" && chosen(body, words))) &&
          !(before && before.checked && body.dataset.before === "no");
        body.hidden = !wanted;
      });
      const left = bodies.filter((body) => !body.hidden).length;
      told.textContent = left === bodies.length ? whole : `${left} of ${bodies.length} shown`;
    };
    [text, sign, before].filter(Boolean).forEach((each) => each.addEventListener("input", apply));
    apply();
  };

  document.querySelectorAll(".listing").forEach((listing) => {
    listing.querySelectorAll("table.slices > tbody").forEach(unfold);
    if (listing.querySelector(".sieve")) sift(listing);
  });
})();
