# SPDX-License-Identifier: MIT
# Folded hints: Doxygen does not know these tags, browsers do.
s@</?(details|summary)>@\\htmlonly &\\endhtmlonly @g
