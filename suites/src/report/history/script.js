const rows = [...document.querySelectorAll(".tracks tbody tr")].map((row) => ({ row, text: row.cells[0].textContent.toLowerCase() }));
const states = [...document.querySelectorAll(".state")].map((state) => ({ state, isOpen: state.open }));
const find = () => {
  const words = searched();
  let shown = 0;
  for (const { row, text } of rows) {
    row.hidden = !words.every((word) => text.includes(word));
    shown += !row.hidden;
  }
  for (const { state, isOpen } of states) {
    state.hidden = !state.querySelector("tbody tr:not([hidden])");
    state.open = words.length ? !state.hidden : isOpen;
  }
  count.textContent = `${shown} of ${rows.length} checks`;
};
search.addEventListener("input", find);
onKey((event) => {
  if (event.key !== "Escape") return;
  search.value = "";
  find();
});
$("filters").hidden = false;
find();
