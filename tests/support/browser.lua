-- browser.lua: pages in a headless browser: errors of their scripts, scroll bars at given widths.
local browser = {}

--- The command of an installed browser, or nil.
function browser.find()
  for _, name in ipairs{ "chromium", "chromium-browser", "google-chrome" } do
    if os.execute("command -v " .. name .. " > /dev/null 2>&1") then return name end
  end
end

-- Each page in a frame, made as wide as each of the widths; what is found goes into the title
local harness = [[
<!doctype html><meta charset="utf-8"><title>running</title><body><script>
const pages = [%s], widths = [%s], found = [];
let seen = 0;
function bars(frame, name, width) {
  const view = frame.contentWindow, doc = frame.contentDocument, root = doc.documentElement;
  if (root.scrollWidth > root.clientWidth + 1) found.push(name + " at " + width + ": the page scrolls sideways by " + (root.scrollWidth - root.clientWidth));
  for (const element of doc.querySelectorAll("body *")) {
    const style = view.getComputedStyle(element);
    if (/auto|scroll/.test(style.overflowX) && element.scrollWidth > element.clientWidth + 1)
      found.push(name + " at " + width + ": <" + element.localName + " class=" + element.className + "> scrolls sideways by "
        + (element.scrollWidth - element.clientWidth) + ": " + element.textContent.slice(0, 40));
  }
  %s
  seen++;
}
function show(k) {
  if (k >= pages.length) { document.title = "done " + seen + "\n" + found.join("\n"); return; }
  const name = pages[k], frame = document.createElement("iframe");
  frame.style = "height: 900px; border: 0; width: " + widths[0] + "px";
  frame.onload = () => {
    for (const width of widths) { frame.style.width = width + "px"; bars(frame, name, width); }
    frame.remove();
    show(k + 1);
  };
  frame.src = name;
  document.body.append(frame);
}
show(0);
</script>
]]

--- What is wrong with pages of a folder: { lines }, and how many were looked at. check: JavaScript that is run for each page and width, with
--- frame, view, doc, name and found.
function browser.look(folder, pages, widths, check)
  local names, path = {}, folder .. "browser_harness.html"
  for i, page in ipairs(pages) do names[i] = ("%q"):format(page) end
  local file = assert(io.open(path, "w"))
  file:write(harness:format(table.concat(names, ","), table.concat(widths, ","), check or ""))
  file:close()
  local pipe = assert(io.popen(("timeout 120 %s --headless --no-sandbox --disable-gpu --allow-file-access-from-files --enable-logging=stderr "
    .. "--virtual-time-budget=600000 --window-size=1300,1000 --dump-dom 'file://%s' 2>&1"):format(browser.find(), path)))
  local output = pipe:read "a"
  pipe:close()
  os.remove(path)
  local lines, seen = {}, output:match "<title>done (%d+)"
  for line in (output:match "<title>done %d+\n(.-)</title>" or ""):gmatch "[^\n]+" do lines[#lines + 1] = line end
  for line in output:gmatch "CONSOLE[^\n]*" do lines[#lines + 1] = line end
  return lines, tonumber(seen or 0)
end

return browser
