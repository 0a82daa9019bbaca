// Shows the copy buttons, which are hidden without this script, and says to a
// screen reader what was done. The text beside a button can always be selected.
for (const button of document.querySelectorAll("[data-copy]")) {
  const text = document.getElementById(button.dataset.copy);
  if (!text || !navigator.clipboard) continue; // there is none on plain http
  const label = [...button.childNodes];
  const said = document.createElement("span");
  said.setAttribute("role", "status");
  said.className = "sr";
  button.after(said);
  button.hidden = false;
  const say = (word) => {
    said.textContent = word;
    button.replaceChildren(word);
    setTimeout(() => { said.textContent = ""; button.replaceChildren(...label); }, 2000);
  };
  button.addEventListener("click", () => navigator.clipboard.writeText(text.textContent).then(
    () => say("Copied"),
    () => { getSelection().selectAllChildren(text); say("Selected"); }));
}
