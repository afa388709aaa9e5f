/* SPDX-License-Identifier: MIT
 *
 * thrust.cu: Thrust's scans, sort and segmented forms.
 */
#include <thrust/device_vector.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

int all(thrust::device_vector<int> &v, thrust::device_vector<float> &k) {
    thrust::inclusive_scan(v.begin(), v.end(), v.begin());
    thrust::exclusive_scan_by_key(k.begin(), k.end(), v.begin(), v.begin());
    thrust::sort_by_key(k.begin(), k.end(), v.begin());
    thrust::transform(v.begin(), v.end(), v.begin(), thrust::negate<int>());
    return thrust::reduce(v.begin(), v.end());
}
