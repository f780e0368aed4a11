// The heading of a column sorts by it, first up, then down; numbers by value, and a range by its first number.
document.querySelectorAll("table.sorts th").forEach((th, at) => {
  th.tabIndex = 0;
  const sort = () => {
    const body = th.closest("table").tBodies[0], up = th.ariaSort !== "ascending";
    const key = row => row.cells[at].textContent, number = text => parseFloat(text.replace(/,/g, "").replace("−", "-"));
    [...body.rows].sort((a, b) => {
      const [x, y] = [number(key(a)), number(key(b))];
      return (up ? 1 : -1) * (isNaN(x) || isNaN(y) ? key(a).localeCompare(key(b)) : x - y);
    }).forEach(row => body.append(row));
    th.parentNode.querySelectorAll("th").forEach(other => { other.ariaSort = "none"; });
    th.ariaSort = up ? "ascending" : "descending";
  };
  th.onclick = sort;
  th.onkeydown = event => { if (event.key === "Enter") sort(); };
});
