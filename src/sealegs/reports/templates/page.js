(function () {
  "use strict";
  var cards = Array.prototype.slice.call(document.querySelectorAll(".episode"));
  var picks = Array.prototype.slice.call(document.querySelectorAll(".pick"));
  function choose(id) {
    if (!cards.some(function (card) { return card.id === id; })) { return false; }
    cards.forEach(function (card) { card.classList.toggle("chosen", card.id === id); });
    picks.forEach(function (pick) {
      if (pick.getAttribute("href") === "#" + id) { pick.setAttribute("aria-current", "true"); }
      else { pick.removeAttribute("aria-current"); }
    });
    return true;
  }
  if (cards.length > 1) {
    document.documentElement.classList.add("choosing");
    picks.forEach(function (pick) {
      pick.addEventListener("click", function (event) {
        event.preventDefault();
        choose(pick.getAttribute("href").slice(1));
        history.replaceState(null, "", pick.getAttribute("href"));
      });
    });
    window.addEventListener("hashchange", function () {
      if (choose(location.hash.slice(1))) { document.getElementById(location.hash.slice(1)).scrollIntoView(); }
    });
    if (!choose(location.hash.slice(1))) { choose(document.querySelector(".chooser").dataset.first); }
    else { document.getElementById(location.hash.slice(1)).scrollIntoView(); }
  }
  function number(text) { return isNaN(parseFloat(text)) ? -1 : parseFloat(text); }
  document.querySelectorAll("table.sortable thead th").forEach(function (head, column) {
    head.tabIndex = 0;
    function sort() {
      var body = head.closest("table").tBodies[0];
      var up = head.getAttribute("aria-sort") === "descending";
      head.parentNode.querySelectorAll("th").forEach(function (other) { other.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      Array.prototype.slice.call(body.rows).sort(function (one, other) {
        var a = one.cells[column].textContent, b = other.cells[column].textContent;
        var order = column ? number(b) - number(a) : b.localeCompare(a);
        return up ? -order : order;
      }).forEach(function (row) { body.appendChild(row); });
    }
    head.addEventListener("click", sort);
    head.addEventListener("keydown", function (event) { if (event.key === "Enter") { sort(); } });
  });
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (found) { found.open = true; });
  });
})();
